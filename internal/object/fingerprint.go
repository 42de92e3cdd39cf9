package object

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/docker/docker/api/types/swarm"
	"golang.org/x/crypto/scrypt"
)

// Cost of a fingerprint: 2 MiB of memory and a few milliseconds, so that
// guessing is slow while 300 secrets stay under 2 s.
const (
	scryptN = 2048
	scryptR = 8
	scryptP = 1
	// fingerprintSize is the length of a fingerprint in bytes; it is written in
	// hex.
	fingerprintSize = 32
)

// Scope is the release that a fingerprint belongs to. Equal contents of two
// releases have different fingerprints.
type Scope struct {
	// Kind is the kind of the release: application, database, registry, tunnel.
	Kind string
	// Release is its name.
	Release string
}

// Fingerprint is SecretFingerprint for a key of this release.
func (s Scope) Fingerprint(key string, data []byte) string {
	return SecretFingerprint(s.Kind, s.Release, key, data)
}

// SecretFingerprint returns the fingerprint of a content that must not be
// shown: scrypt, in 64 hex digits, salted with the kind and name of the release
// and with the key. The salt is derived and not random, because plan, apply, a
// resumed create, import and the drift loop have to come to the same answer.
//
// Answers are kept for the life of the process, under a keyed digest of the
// input and not the input itself. It may be called concurrently.
func SecretFingerprint(kind, release, key string, data []byte) string {
	mac := hmac.New(sha256.New, fingerprints.key())
	frame(mac, []byte(kind), []byte(release), []byte(key), data)
	id := [sha256.Size]byte(mac.Sum(nil))
	if known, ok := fingerprints.get(id); ok {
		return known
	}
	salt := sha256.New()
	frame(salt, []byte("keel fingerprint 1"), []byte(kind), []byte(release), []byte(key))
	sum, err := scrypt.Key(data, salt.Sum(nil), scryptN, scryptR, scryptP, fingerprintSize)
	if err != nil {
		// The only errors are of the constants above.
		panic("object: scrypt: " + err.Error())
	}
	fingerprint := hex.EncodeToString(sum)
	fingerprints.put(id, fingerprint)
	return fingerprint
}

// ConfigFingerprint returns the fingerprint of what a config is created from,
// in 64 hex digits: its data and its template driver, none of which can be
// changed afterwards. It is empty for nil.
func ConfigFingerprint(spec *swarm.ConfigSpec) string {
	if spec == nil {
		return ""
	}
	h := sha256.New()
	frame(h, spec.Data)
	if t := spec.Templating; t != nil {
		frame(h, []byte(t.Name))
		for _, k := range slices.Sorted(maps.Keys(t.Options)) {
			frame(h, []byte(k), []byte(t.Options[k]))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Limits of the engine for the names of configs and secrets, and what a content
// name is made of.
const (
	maxContentName  = 64
	nameFingerprint = 12
	nameCutHash     = 8
)

// ContentName returns the real name of an own config or secret,
// <release>_<key>-<12 hex digits of the fingerprint>, in at most 64 of the
// characters that the engine allows. A <release>_<key> that does not fit, or
// holds other characters, is cut and gets 8 hex digits of its own hash, so that
// two of them stay apart.
func ContentName(release, key, fingerprint string) string {
	if len(fingerprint) < nameFingerprint || strings.Trim(fingerprint[:nameFingerprint], "0123456789abcdef") != "" {
		fingerprint = hashHex(fingerprint)
	}
	full := release + "_" + key
	base := strings.TrimLeft(strings.Map(legalInName, full), "-_.")
	if room := maxContentName - nameFingerprint - len("-"); base != full || len(base) > room {
		base = base[:min(len(base), room-nameCutHash-len("-"))] + "-" + hashHex(full)[:nameCutHash]
		base = strings.TrimLeft(base, "-")
	}
	return base + "-" + fingerprint[:nameFingerprint]
}

func legalInName(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
		return r
	}
	return '-'
}

func hashHex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// frame writes each part with its length before it, so that no two lists of
// parts look the same.
func frame(h hash.Hash, parts ...[]byte) {
	for _, p := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write(p)
	}
}

// fingerprints are the answers of this process.
var fingerprints = fingerprintCache{key: sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	rand.Read(key) // never fails, see its documentation
	return key
})}

// maxCached bounds the memory of a process that runs for months.
const maxCached = 1 << 16

type fingerprintCache struct {
	key   func() []byte
	mu    sync.Mutex
	known map[[sha256.Size]byte]string
}

func (c *fingerprintCache) get(id [sha256.Size]byte) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.known[id]
	return known, ok
}

func (c *fingerprintCache) put(id [sha256.Size]byte, fingerprint string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxCached {
		c.known = map[[sha256.Size]byte]string{}
	}
	c.known[id] = fingerprint
}
