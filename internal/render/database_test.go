package render

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// oldest are the versions that the tests run with.
var oldest = map[string]string{spec.Postgres: "12", spec.MariaDB: "10.5", spec.Redis: "6"}

// orders is a database of an engine.
func orders(engine string, change func(*spec.Database)) spec.Database {
	db := spec.Database{Name: "orders", Engine: engine, Version: oldest[engine]}
	if change != nil {
		change(&db)
	}
	return db
}

func mustDatabase(t *testing.T, db spec.Database) *Rendered {
	t.Helper()
	rendered, problems := Database(db)
	if rendered == nil {
		t.Fatal(problems)
	}
	return rendered
}

func withPassword(password string) func(*spec.Database) {
	return func(db *spec.Database) { db.Password = &password }
}

// awkwardText stumbles in SQL, in shells, in configuration files and in URLs.
const awkwardText = `it's "5%41" \of $HOME ü;#@:/?-- `

func TestDatabaseIsOneTaskOnOneVolume(t *testing.T) {
	for engine, data := range map[string]string{spec.Postgres: "/var/lib/postgresql/data", spec.MariaDB: "/var/lib/mysql", spec.Redis: "/data"} {
		t.Run(engine, func(t *testing.T) {
			r := mustDatabase(t, orders(engine, func(db *spec.Database) {
				db.Placement.Constraints = []string{"node.hostname==n1"}
				db.Resources.Memory = "1g"
			}))
			s := service(t, r, "db")
			if n := *s.Mode.Replicated.Replicas; n != 1 {
				t.Errorf("%d replicas", n)
			}
			if s.UpdateConfig.Order != swarm.UpdateOrderStopFirst || s.RollbackConfig.Order != swarm.UpdateOrderStopFirst {
				t.Errorf("updates are %s, roll-backs %s", s.UpdateConfig.Order, s.RollbackConfig.Order)
			}
			if diff := cmp.Diff(&swarm.Placement{MaxReplicas: 1, Constraints: []string{"node.hostname==n1"}}, s.TaskTemplate.Placement); diff != "" {
				t.Error(diff)
			}
			mounts := s.TaskTemplate.ContainerSpec.Mounts
			if len(mounts) != 1 || mounts[0].Source != "orders_data" || mounts[0].Target != data || mounts[0].VolumeOptions.Labels["com.docker.stack.namespace"] != "orders" {
				t.Errorf("it mounts %+v", mounts)
			}
			if diff := cmp.Diff([]swarm.NetworkAttachmentConfig{{Target: "orders_default", Aliases: []string{"orders"}}}, s.TaskTemplate.Networks); diff != "" {
				t.Error(diff)
			}
			if s.EndpointSpec.Mode != swarm.ResolutionModeDNSRR || len(s.EndpointSpec.Ports) > 0 {
				t.Errorf("it is reached by %+v", s.EndpointSpec)
			}
			if network := find(t, r, "network/default").Spec.(*object.NetworkSpec); !network.Options.Attachable || network.Options.Driver != "overlay" {
				t.Errorf("its network is %+v", network)
			}
			if !slices.Equal(r.Local, []string{"db"}) {
				t.Errorf("local are %q", r.Local)
			}
		})
	}
}

func TestPasswordStandsInSecretsAlone(t *testing.T) {
	for _, engine := range spec.DatabaseEngines() {
		t.Run(engine, func(t *testing.T) {
			r := mustDatabase(t, orders(engine, withPassword(awkwardText)))
			names := object.NamesOf(r.Objects)
			for _, o := range r.Objects {
				f, err := o.Form(object.View{Names: names})
				if err != nil {
					t.Fatal(err)
				}
				if text := f.JSON(); strings.Contains(text, "5%41") {
					t.Errorf("%s shows it: %s", o.Ref(), text)
				}
			}
			for _, job := range slices.Concat(r.Before, r.After, r.Empty) {
				if f, err := job.Service.Form(object.View{}); err != nil || strings.Contains(f.JSON(), "5%41") {
					t.Errorf("job %s shows it: %v %v", job.Op, f, err)
				}
			}
			if got := string(secretData(t, r, "password")); got != awkwardText {
				t.Errorf("the secret is %q", got)
			}
			for _, o := range r.Objects {
				if s, ok := o.Spec.(*swarm.SecretSpec); ok && !slices.Contains(r.Sensitive, string(s.Data)) {
					t.Errorf("%s is not hidden in what is quoted of others", o.Ref())
				}
			}
		})
	}
}

func secretData(t *testing.T, r *Rendered, key string) []byte {
	t.Helper()
	return find(t, r, "secret/"+key).Spec.(*swarm.SecretSpec).Data
}

func TestURLIsReadAsItWasMeant(t *testing.T) {
	names := func(db *spec.Database) {
		withPassword(awkwardText)(db)
		if db.Engine != spec.Redis {
			db.Username, db.Database = "u:ser@ü/%2F", "data base/?#[1]&+"
		}
	}
	for engine, want := range map[string]struct{ scheme, host, query string }{
		spec.Postgres: {"postgres", "orders:5432", "sslmode=disable"},
		spec.MariaDB:  {"mysql", "orders:3306", ""},
		spec.Redis:    {"redis", "orders:6379", ""},
	} {
		db := orders(engine, names)
		text := string(secretData(t, mustDatabase(t, db), "url"))
		u, err := url.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", engine, err)
			continue
		}
		password, _ := u.User.Password()
		path := "/" + db.Database
		if engine == spec.Redis {
			path = "/0"
		}
		if u.Scheme != want.scheme || u.Host != want.host || u.RawQuery != want.query || password != awkwardText || u.User.Username() != db.Username || u.Path != path {
			t.Errorf("%s: %s", engine, text)
		}
		if strings.ContainsAny(text, ` '"\$;[]&+`) {
			t.Errorf("%s: not everything is escaped in %s", engine, text)
		}
	}
}

func TestGeneratedSecretsAreMadeTogetherAndOnlyWhenTheirInputsChange(t *testing.T) {
	for engine, keys := range map[string][]string{
		spec.Postgres: {"password", "url"}, spec.MariaDB: {"init", "password", "url"}, spec.Redis: {"password", "url"},
	} {
		t.Run(engine, func(t *testing.T) {
			r := mustDatabase(t, orders(engine, nil))
			again := mustDatabase(t, orders(engine, func(db *spec.Database) { db.Resources.Memory = "1g"; db.Settings = map[string]string{"x": "y"} }))
			for _, key := range keys {
				o := find(t, r, "secret/"+key)
				if o.Spec.(*swarm.SecretSpec).Data != nil || o.Derived == nil || !slices.Equal(o.Derived.Keys, keys) {
					t.Errorf("%s is %+v", key, o)
				}
				if same := find(t, again, "secret/"+key); same.Name != o.Name || same.Fingerprint != o.Fingerprint {
					t.Errorf("%s changes with what it is not made from", key)
				}
			}
			one, err := find(t, r, "secret/password").Derived.Make()
			if err != nil {
				t.Fatal(err)
			}
			another, err := find(t, r, "secret/url").Derived.Make()
			if err != nil {
				t.Fatal(err)
			}
			password := string(one["password"])
			if len(password) != 43 || password == string(another["password"]) || url.QueryEscape(password) != password {
				t.Errorf("made were %q and %q", password, another["password"])
			}
			for _, key := range keys {
				if !strings.Contains(string(one[key]), password) {
					t.Errorf("%s has another password: %s", key, one[key])
				}
			}
			given := mustDatabase(t, orders(engine, withPassword(password)))
			for _, key := range keys {
				if find(t, given, "secret/"+key).Name == find(t, r, "secret/"+key).Name {
					t.Errorf("%s has one name, given and generated", key)
				}
			}
		})
	}
}

// Else a secret that was made would stand for the password that is given, beside a
// URL with that one.
func TestNoPasswordIsTakenForAGeneratedOne(t *testing.T) {
	for engine := range oldest {
		t.Run(engine, func(t *testing.T) {
			made := mustDatabase(t, orders(engine, nil))
			for _, password := range []string{"generated", passwordKey, " "} {
				given := mustDatabase(t, orders(engine, withPassword(password)))
				for _, o := range given.Objects {
					i := slices.IndexFunc(made.Objects, func(m object.Object) bool { return m.Ref() == o.Ref() })
					if o.Kind == object.KindSecret && made.Objects[i].Fingerprint == o.Fingerprint {
						t.Errorf("%s of password %q has the fingerprint of a generated one", o.Ref(), password)
					}
				}
			}
		})
	}
}

func TestDatabaseAndUserAreNamedAfterTheReleaseByDefault(t *testing.T) {
	env := service(t, mustDatabase(t, orders(spec.Postgres, nil)), "db").TaskTemplate.ContainerSpec.Env
	want := []string{"PGDATA=/var/lib/postgresql/data", "POSTGRES_DB=orders", "POSTGRES_PASSWORD_FILE=/run/secrets/password", "POSTGRES_USER=orders"}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Error(diff)
	}
}

func TestNamesAreQuotedInSQL(t *testing.T) {
	want := "SET NAMES utf8mb4;\nSET SESSION sql_mode='';\n" +
		"CREATE DATABASE IF NOT EXISTS `a``b_%\\`;\n" +
		"CREATE USER IF NOT EXISTS 'o''b\\\\'@'%' IDENTIFIED BY PASSWORD '*0000000000000000000000000000000000000000';\n" +
		"GRANT ALL ON `a``b\\_\\%\\\\`.* TO 'o''b\\\\'@'%';\n" +
		"ALTER USER 'root'@'localhost' IDENTIFIED VIA unix_socket;\n"
	if diff := cmp.Diff(want, mariadbCreate(`o'b\`, "a`b_%\\")); diff != "" {
		t.Error(diff)
	}
	if got := mariadbInit(`o'b\`, `p'w\`); !strings.HasSuffix(got, `ALTER USER IF EXISTS 'o''b\\'@'%' IDENTIFIED BY 'p''w\\';`+"\n") {
		t.Error(got)
	}
	if got := service(t, mustDatabase(t, orders(spec.Postgres, func(db *spec.Database) { db.Username = "a b" })), "db").TaskTemplate.ContainerSpec.Args[4]; got != `"a b"` {
		t.Error(got)
	}
}

func TestSettingsAreArgumentsInOrder(t *testing.T) {
	settings := func(db *spec.Database) { db.Settings = map[string]string{"zoo": "2 x", "a": ""} }
	for engine, want := range map[string][]string{
		spec.Postgres: {"-c", "a=", "-c", "zoo=2 x"}, spec.MariaDB: {"--a=", "--zoo=2 x"}, spec.Redis: {`a ""`, "zoo 2 x"},
	} {
		args := service(t, mustDatabase(t, orders(engine, settings)), "db").TaskTemplate.ContainerSpec.Args
		if got := args[len(args)-len(want):]; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", engine, got, want)
		}
	}
}

func TestJobsMountOnlyWhatTheyNeed(t *testing.T) {
	pinned := func(db *spec.Database) { db.Placement.Constraints = []string{"node.hostname==n1"} }
	for _, engine := range spec.DatabaseEngines() {
		r := mustDatabase(t, orders(engine, pinned))
		if len(r.Before) != 1 || len(r.After) != 1 || len(r.Empty) != 1 {
			t.Fatalf("%s: %d, %d and %d jobs", engine, len(r.Before), len(r.After), len(r.Empty))
		}
		for _, job := range slices.Concat(r.Before, r.After, r.Empty) {
			s := job.Service.Spec.(*swarm.ServiceSpec)
			inVolume := job.Service.Key != "ready"
			c := s.TaskTemplate.ContainerSpec
			if (s.Mode.Global != nil) != inVolume || (len(c.Mounts) == 1) != inVolume || (len(c.Secrets) == 0) != inVolume || (len(s.TaskTemplate.Networks) == 0) != inVolume {
				t.Errorf("%s: job %s is %+v", engine, job.Service.Key, s)
			}
			if s.TaskTemplate.RestartPolicy.Condition != swarm.RestartPolicyConditionNone || s.TaskTemplate.Placement.Constraints[0] != "node.hostname==n1" || job.For != "db" {
				t.Errorf("%s: job %s is %+v for %s", engine, job.Service.Key, s.TaskTemplate, job.For)
			}
			if inVolume && (c.Mounts[0].ReadOnly == (job.Service.Key == "empty") || c.Mounts[0].Target != "/volume") {
				t.Errorf("%s: job %s mounts %+v", engine, job.Service.Key, c.Mounts)
			}
		}
	}
}
