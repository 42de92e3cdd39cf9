package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

func TestEveryFaultOfADatabaseIsReportedAtItsAttribute(t *testing.T) {
	long := strings.Repeat("x", 64)
	for name, c := range map[string]struct {
		engine string
		change func(*spec.Database)
		want   []string
	}{
		"an engine that there is not": {"oracle", nil, []string{`engine: There is no engine "oracle"`}},
		"a version without a number":  {spec.Postgres, func(db *spec.Database) { db.Version = "latest" }, []string{`version: Wrong version "latest"`}},
		"a version that is too old":   {spec.Postgres, func(db *spec.Database) { db.Version = "9.6" }, []string{"version: PostgreSQL 9.6 is too old"}},
		"half a release of MariaDB":   {spec.MariaDB, func(db *spec.Database) { db.Version = "11" }, []string{`version: Version "11" leaves the release open`}},
		"an image without a tag":      {spec.Redis, func(db *spec.Database) { db.Image = "acme/redis" }, []string{`image: Image "acme/redis" leaves the version open`}},
		"an image that is none":       {spec.Redis, func(db *spec.Database) { db.Image = "a b:1" }, []string{`image: Invalid image "a b:1"`}},
		"an image of another version": {spec.Redis, func(db *spec.Database) { db.Image = "acme/redis:7.2-x" }, []string{`image: Image "acme/redis:7.2-x" is of another version`}},
		"names that an engine has not": {
			spec.Redis, func(db *spec.Database) { db.Username, db.Database = "a", "b" },
			[]string{"database: Redis has no database", "username: Redis has no username"},
		},
		"names that are too long":          {spec.Postgres, func(db *spec.Database) { db.Username, db.Database = long, long }, []string{`database: Wrong database "` + long[:60] + `…"`, `username: Wrong username "` + long[:60] + `…"`}},
		"names with control characters":    {spec.MariaDB, func(db *spec.Database) { db.Username = "a\nb" }, []string{`username: Wrong username "a\nb"`}},
		"names with a space at an end":     {spec.MariaDB, func(db *spec.Database) { db.Database = "a " }, []string{`database: Wrong database "a "`}},
		"a user that initdb stumbles over": {spec.Postgres, func(db *spec.Database) { db.Username = "o'b" }, []string{`username: Wrong username "o'b"`}},
		"a user of PostgreSQL's own":       {spec.Postgres, func(db *spec.Database) { db.Username = "pg_x" }, []string{`username: The username "pg_x" belongs to PostgreSQL itself`}},
		"a database of PostgreSQL's own":   {spec.Postgres, func(db *spec.Database) { db.Database = "template1" }, []string{`database: The database "template1" belongs to PostgreSQL itself`}},
		"a user of MariaDB's own":          {spec.MariaDB, func(db *spec.Database) { db.Username = "Root" }, []string{`username: The username "Root" belongs to MariaDB itself`}},
		"the name as a name of MariaDB's own": {spec.MariaDB, func(db *spec.Database) { db.Name = "mysql" }, []string{
			`database: The database "mysql" belongs to MariaDB itself`, `username: The username "mysql" belongs to MariaDB itself`,
		}},
		"an empty password":            {spec.Redis, withPassword(""), []string{"password_wo: Wrong password"}},
		"a password of two lines":      {spec.Redis, withPassword("a\nb"), []string{"password_wo: Wrong password"}},
		"a password of 129 characters": {spec.Redis, withPassword(strings.Repeat("ü", 129)), []string{"password_wo: Wrong password"}},
		"a password that is no text":   {spec.Redis, withPassword("\xff"), []string{"password_wo: Wrong password"}},
		"a setting with a capital":     {spec.Postgres, func(db *spec.Database) { db.Settings = map[string]string{"A": "1"} }, []string{`settings.A: Wrong setting "A"`}},
		"a setting of two lines":       {spec.Redis, func(db *spec.Database) { db.Settings = map[string]string{"save": "1\nport 1"} }, []string{`settings.save: Wrong value of setting "save"`}},
		"several at once": {
			spec.Postgres, func(db *spec.Database) {
				db.Version, db.Username, db.Settings, db.Resources.CPUs = "x", "none", map[string]string{"port": "1"}, "x"
				db.Placement.Constraints = []string{"x"}
			},
			[]string{
				`placement.constraints[0]: Wrong constraint "x"`, `resources.cpus: Wrong number of CPUs "x"`, `settings.port: Setting "port" is not open`,
				`username: The username "none" belongs to PostgreSQL itself`, `version: Wrong version "x"`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rendered, problems := Database(orders(c.engine, c.change))
			var got []string
			for _, p := range problems {
				got = append(got, path(p.Attribute).String()+": "+p.Summary)
				if strings.Contains(p.Summary+p.Detail, "%!") {
					t.Errorf("badly formatted: %s", p)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" || rendered != nil {
				t.Error(diff)
			}
		})
	}
}

func TestWhatADatabaseMayHave(t *testing.T) {
	for name, db := range map[string]spec.Database{
		"a variant of a version":         orders(spec.Postgres, func(db *spec.Database) { db.Version = "17.2-alpine3.21" }),
		"an image by digest":             orders(spec.Redis, func(db *spec.Database) { db.Image = "acme/redis@sha256:" + strings.Repeat("a", 64) }),
		"an image with a tag of its own": orders(spec.Redis, func(db *spec.Database) { db.Image = "acme/redis:with-modules" }),
		"an image of a closer version":   orders(spec.Redis, func(db *spec.Database) { db.Image = "acme/redis:6.2.1" }),
		"postgres as its user":           orders(spec.Postgres, func(db *spec.Database) { db.Username, db.Database = "postgres", "postgres" }),
		"unusual names":                  orders(spec.MariaDB, func(db *spec.Database) { db.Username, db.Database = "o'B \"`ü", "a-b `c" }),
		"a password of 128 characters":   orders(spec.Redis, withPassword(strings.Repeat("ü", 128))),
		"a setting that is no managed one": orders(spec.MariaDB, func(db *spec.Database) {
			db.Settings = map[string]string{"old": "1", "sql_mode": "ANSI", "skip-log-bin": "1"}
		}),
	} {
		if _, problems := Database(db); len(problems) > 0 {
			t.Errorf("%s: %s", name, problems)
		}
	}
}

func TestManagedSettingsAreRefusedHoweverTheyAreWritten(t *testing.T) {
	for engine, settings := range map[string][]string{
		spec.Postgres: {"port", "data_directory", "data-directory", "hba_file", "listen_addresses"},
		spec.MariaDB:  {"port", "init-file", "init_file", "init-fi", "bind_address", "loose-init-file", "skip-networking", "skip_grant_tables", "loose_skip-grant-tables", "datadir"},
		spec.Redis:    {"requirepass", "dir", "appendonly", "port", "bind", "include", "aclfile", "user"},
	} {
		for _, setting := range settings {
			_, problems := Database(orders(engine, func(db *spec.Database) { db.Settings = map[string]string{setting: "x"} }))
			if len(problems) != 1 || !slices.Equal(problems[0].Attribute, []string{"settings", setting}) {
				t.Errorf("%s %s: %v", engine, setting, problems)
			}
		}
	}
}

func TestVersionsCompareByTheNumbersThatBothHave(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"17", "17", 0}, {"17.2", "17", 0}, {"17-alpine", "17.3", 0}, {"17.10", "17.9", 1}, {"16", "17", -1},
		{"10.11.2", "10.11.10", -1}, {"11.4", "10.11", 1},
	} {
		got := parseVersion(c.a).compare(parseVersion(c.b))
		if got > 0 != (c.want > 0) || got < 0 != (c.want < 0) {
			t.Errorf("%s and %s: %d", c.a, c.b, got)
		}
	}
	for _, tag := range []string{"", "latest", "v17", "alpine-17", "17.", ".17", "17..2", "9999999"} {
		if v := parseVersion(tag); v != nil {
			t.Errorf("%q is %s", tag, v)
		}
	}
}

func TestDatabaseChangesInPlaceOnlyWithinItsDataFormat(t *testing.T) {
	pg := func(version string) DatabaseIdentity {
		return DatabaseIdentity{Engine: spec.Postgres, Version: version, Username: "u", Database: "d"}
	}
	maria := func(version string) DatabaseIdentity {
		return DatabaseIdentity{Engine: spec.MariaDB, Version: version}
	}
	renamed := pg("17")
	renamed.Username, renamed.Database = "v", "e"
	for name, c := range map[string]struct {
		to   DatabaseIdentity
		was  []DatabaseIdentity
		want []string
	}{
		"a minor upgrade":                         {pg("17.3"), []DatabaseIdentity{pg("17.2")}, nil},
		"another variant":                         {pg("17.2-alpine"), []DatabaseIdentity{pg("17.2")}, nil},
		"a tag that moves on":                     {pg("17"), []DatabaseIdentity{pg("17.2")}, nil},
		"a major upgrade":                         {pg("18"), []DatabaseIdentity{pg("17.2")}, []string{"version"}},
		"a major downgrade":                       {pg("16.9"), []DatabaseIdentity{pg("17")}, []string{"version"}},
		"a minor downgrade":                       {pg("17.1"), []DatabaseIdentity{pg("17.2")}, []string{"version"}},
		"another series of MariaDB":               {maria("11.4"), []DatabaseIdentity{maria("11.3.2")}, []string{"version"}},
		"a patch of MariaDB":                      {maria("11.4.5"), []DatabaseIdentity{maria("11.4.2")}, nil},
		"another engine says nothing of the rest": {maria("10.11"), []DatabaseIdentity{pg("17")}, []string{"engine"}},
		"other names":                             {renamed, []DatabaseIdentity{pg("17")}, []string{"database", "username"}},
		"what runs has a say beside the state":    {pg("17"), []DatabaseIdentity{pg("17"), pg("18.1")}, []string{"version"}},
		"nothing is known":                        {pg("17"), []DatabaseIdentity{{}, {}}, nil},
		"what is to be is not known yet":          {DatabaseIdentity{}, []DatabaseIdentity{pg("17")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range DatabaseChange("orders", c.to, c.was...) {
				got = append(got, path(p.Attribute).String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLiveDatabaseIsReadFromWhatIsRendered(t *testing.T) {
	for engine, want := range map[string]DatabaseIdentity{
		spec.Postgres: {spec.Postgres, "12", "u", "d"}, spec.MariaDB: {spec.MariaDB, "10.5", "u", "d"}, spec.Redis: {Engine: spec.Redis, Version: "6"},
	} {
		r := mustDatabase(t, orders(engine, func(db *spec.Database) {
			if engine != spec.Redis {
				db.Username, db.Database = "u", "d"
			}
		}))
		f, err := object.ParseForm(form(t, r, find(t, r, "service/db")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, LiveDatabase(f)); diff != "" {
			t.Errorf("%s: %s", engine, diff)
		}
	}
	if got := LiveDatabase(object.Form{"image": "acme/web:1.0", "mounts": map[string]any{"/srv": map[string]any{}}}); got != (DatabaseIdentity{}) {
		t.Errorf("a service without an engine's data is a database: %+v", got)
	}
	if got := LiveDatabase(nil); got != (DatabaseIdentity{}) {
		t.Errorf("of nothing, it is said to be %+v", got)
	}
}
