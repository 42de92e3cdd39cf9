package faulttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// subject is a row of the table: a kind of release that the faults are held against.
type subject struct {
	name    string
	servers []acctest.Server
	// created is what creates make, without more tasks than it needs.
	created content
	changes []change
	// service is the key of the one that changes; steady of one that never does, "" where there is none.
	service, steady string
	// password is that of a content, for the client of the server; nil where there is no client.
	password func(c content) string
	// stride is 0 where every call is to fail in every way, else how many calls there are for one that does.
	stride int
}

// change is a way in which a release goes from version to version.
type change struct {
	rule    string
	version func(n int) content
	writes  int // of the service in one version
}

// subjects is the table, with what its rows need around them.
func subjects(t *testing.T) []subject {
	t.Helper()
	password := func(n int) string { return fmt.Sprintf("correct horse %d", n) }
	databases := func(name string, server acctest.Server, d database, stride int) subject {
		d.password = password(0)
		return subject{
			name: name, servers: []acctest.Server{server}, created: d, service: "db", stride: stride,
			changes: []change{
				{"another setting", func(n int) content { d := d; d.value = n; return d }, 1},
				{"another password", func(n int) content { d := d; d.password = password(n); return d }, 1},
			},
			password: func(c content) string { return c.(database).password },
		}
	}
	return []subject{
		{
			name: "application", created: ledger{}, service: "web", steady: "steady",
			changes: []change{
				{"another variable", func(n int) content { return ledger{steady: 1, version: n} }, 1},
				{"another config and secret", func(n int) content { return ledger{steady: 1, config: fmt.Sprint(n), secret: fmt.Sprint(n)} }, 1},
				{"a service dropped or added", func(n int) content { return ledger{steady: 1, extra: n%2 == 1} }, 0},
			},
		},
		databases("redis", acctest.Redis, database{engine: spec.Redis, version: "7", image: acctest.RedisImage("7"), setting: "maxclients"}, 6),
		databases("postgres", acctest.Postgres, database{engine: spec.Postgres, version: "15", image: acctest.PostgresImage("15"), setting: "max_connections"}, 12),
		databases("mariadb", acctest.MariaDB, database{engine: spec.MariaDB, version: "10.11", image: acctest.MariaDBImage("10.11"), setting: "max_connections"}, 12),
		{
			name: "registry", servers: []acctest.Server{acctest.Distribution}, created: registry{password: password(0)}, service: "registry", stride: 8,
			changes: []change{
				{"another limit", func(n int) content { return registry{n, password(0)} }, 1},
				{"another password", func(n int) content { return registry{0, password(n)} }, 1},
			},
			password: func(c content) string { return c.(registry).password },
		},
		tunnels(t),
	}
}

// tunnels is the row of tunnels. All lead to one far end, a stand-in: a connector is healthy when it is connected to it.
func tunnels(t *testing.T) subject {
	t.Helper()
	s := acctest.Start(t)
	network := s.RandomName(t)
	s.Docker(t, "network", "create", "-d", "overlay", "--label", "com.docker.stack.namespace="+network, network)
	token := func(n int) string {
		return acctest.TunnelToken("account", "6ff42ae2-765d-4adf-8112-31c55c1551ef", fmt.Sprint("secret ", n))
	}
	var tokens []string
	for n := range 100 {
		tokens = append(tokens, token(n))
	}
	acctest.StartEdge(t, s, network, map[string]string{"shop.example.com": "http://web:8080"}, tokens...)
	return subject{
		name: "tunnel", servers: []acctest.Server{acctest.Cloudflared}, created: tunnel{network, 0, token(0)}, service: "connector", stride: 8,
		changes: []change{
			{"another limit", func(n int) content { return tunnel{network, n, token(0)} }, 1},
			{"another token", func(n int) content { return tunnel{network, 0, token(n % len(tokens))} }, 1},
		},
	}
}

// matrix runs a test for every subject and each of its lanes.
func matrix(t *testing.T, test func(t *testing.T, s subject, l lane)) {
	t.Helper()
	t.Parallel()
	tests := map[string]func(*testing.T){}
	for _, s := range subjects(t) {
		for _, l := range s.lanes() {
			tests[s.name+"/"+l.name] = func(t *testing.T) { test(t, s, l) }
		}
	}
	acctest.SideBySide(t, tests)
}

// rig is one with the images of the subject.
func (s subject) rig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	acctest.Load(t, r.Swarm, s.servers...)
	return r
}

// client runs a script of the server's client, who has the password of a content.
func (s subject) client(t *testing.T, r *rig, c content, script string) (string, error) {
	return r.Inside(t, r.name+"_"+s.service, script, "SECRET="+s.password(c), "NAME="+r.name, "ROW=row")
}

// store lets a client store a row.
func (s subject) store(t *testing.T, r *rig, c content) {
	t.Helper()
	if s.password == nil {
		return
	}
	if script := s.servers[0].Client().Put; script != "" {
		if _, err := s.client(t, r, c, script); err != nil {
			t.Error(err)
		}
	}
}

// serves requires that a client is served and finds its row again.
func (s subject) serves(t *testing.T, r *rig, c content) {
	t.Helper()
	if s.password == nil {
		return
	}
	client := s.servers[0].Client()
	if _, err := s.client(t, r, c, client.Use); err != nil {
		t.Errorf("a client is not served: %v", err)
	}
	if client.Put == "" {
		return
	}
	if rows, err := s.client(t, r, c, client.Rows); err != nil || !strings.Contains(rows, "row") {
		t.Errorf("the row is lost: there is %q: %v", rows, err)
	}
}
