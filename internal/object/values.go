package object

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/distribution/reference"
)

// NormalizeImage brings an image reference to the form in which the Docker
// client sends it: the familiar name with a tag or a digest ("nginx" →
// "nginx:latest", "docker.io/library/nginx:1" → "nginx:1"). What is no
// reference, such as an image id, is returned as it is.
//
// Source: imageWithTagString in client/service_create.go of docker/docker.
func NormalizeImage(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return image
	}
	return reference.FamiliarString(reference.TagNameOnly(named))
}

// splitDigest cuts the digest off an image reference.
func splitDigest(image string) (name string, pinned bool) {
	name, _, pinned = strings.Cut(image, "@")
	return name, pinned
}

// keyed collects values by a key of theirs. The engine keeps lists where one
// value per key is meant; should a key occur twice, both values are shown, in
// their order, instead of one of them being dropped.
type keyed map[string]any

// repeated holds the values of a key that occurs more than once.
type repeated []any

func (k *keyed) add(key string, value any) {
	if *k == nil {
		*k = keyed{}
	}
	switch old, taken := (*k)[key]; {
	case !taken:
		(*k)[key] = value
	default:
		if list, ok := old.(repeated); ok {
			(*k)[key] = append(list, value)
			return
		}
		(*k)[key] = repeated{old, value}
	}
}

// sortedSet returns the sorted distinct elements, nil for none.
func sortedSet(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	s := slices.Clone(list)
	slices.Sort(s)
	return slices.Compact(s)
}

// cpus renders a number of nano CPUs as the decimal number of CPUs ("0.5"), ""
// for 0.
func cpus(nano int64) string {
	if nano == 0 {
		return ""
	}
	sign := ""
	abs := uint64(nano)
	if nano < 0 {
		sign, abs = "-", -abs
	}
	s := fmt.Sprintf("%s%d.%09d", sign, abs/1e9, abs%1e9)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// memory renders a number of bytes in the largest binary unit that divides it
// ("64MiB", "1000B"), "" for 0.
func memory(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for bytes%1024 == 0 {
		bytes /= 1024
		i++
	}
	return strconv.FormatInt(bytes, 10) + units[i]
}

// duration renders a length of time ("10s"), "" for 0.
func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// durationSet renders a length of time of which nil and 0 mean different things.
func durationSet(d *time.Duration) *string {
	if d == nil {
		return nil
	}
	s := d.String()
	return &s
}

// fileMode renders permissions as Compose files have them ("0444").
func fileMode(m os.FileMode) string { return fmt.Sprintf("%04o", uint32(m)) }

// valueOr returns what p points to, or the default for a nil pointer.
func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
