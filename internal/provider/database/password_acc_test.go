package database_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// awkward is text that stumbles in SQL, in shells, in configuration files and in URLs, whoever forgets to quote it.
const awkward = `it's "5%41" \of $HOME ü;#@:/?-- `

// TestAccPasswordIsThatOfTheSecretWhoeverSetIt takes a database with awkward names from a generated password to a
// given one, another one, and a generated one again.
func TestAccPasswordIsThatOfTheSecretWhoeverSetIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		var names []string
		if e.name != "redis" {
			d.user, d.database = "the-user; ü`(1)", "my data-base's \"1_%\" `é`"
			if e.name == "mariadb" {
				d.user += `'"\`
			}
			names = []string{fmt.Sprintf("username = %q", d.user), fmt.Sprintf("database = %q", escapeHCL(d.database))}
		}
		w := providertest.NewWorkspace(t, d.config(names...))
		w.Apply()
		d.ask(t, d.insert)
		generated := d.password(t)
		if len(generated) != 43 {
			t.Errorf("a generated password has %d characters", len(generated))
		}
		secrets := d.secrets(t, w)

		given := append(names, "password_wo = var.password")
		former := generated
		for _, password := range []string{awkward + "1", `\\'';"` + awkward} {
			w.Variable("password", password)
			w.Write("main.tf", d.config(given...))
			w.Apply()
			d.changed(t, former, password)
			if now := d.secrets(t, w); now == secrets {
				t.Errorf("the secrets are still %s", now)
			} else {
				secrets = now
			}
			w.Settled()
			former = password
		}

		w.Write("main.tf", d.config(names...))
		w.Apply()
		d.changed(t, former, d.password(t))
		w.Settled()
		d.staysOutOfSight(t, d.password(t))
	})
}

// escapeHCL keeps Terraform from taking a part of a text for a template.
func escapeHCL(text string) string { return strings.ReplaceAll(text, "%{", "%%{") }

// password is the one in the secret that the server has.
func (d *database) password(t testing.TB) string {
	t.Helper()
	return d.Docker(t, "exec", d.container(t), "cat", "/run/secrets/password")
}

// secrets are the names that applications mount.
func (d *database) secrets(t testing.TB, w *providertest.Workspace) string {
	t.Helper()
	var state struct {
		Resources []struct {
			Instances []struct {
				Attributes struct {
					Password string `json:"password_secret"`
					URL      string `json:"url_secret"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(w.State()), &state); err != nil {
		t.Fatal(err)
	}
	a := state.Resources[0].Instances[0].Attributes
	objects := strings.Join(d.ReleaseObjects(t, d.name), "\n")
	for _, name := range []string{a.Password, a.URL} {
		if !strings.Contains(objects, "secret/"+name) || name == "" {
			t.Errorf("there is no secret %q:\n%s", name, objects)
		}
	}
	return a.Password + " " + a.URL
}

// changed requires that one password is refused, another one accepted, and that the data is there.
func (d *database) changed(t testing.TB, before, after string) {
	t.Helper()
	if d.accepts(t, before) {
		t.Errorf("the former password is still accepted")
	}
	if !d.accepts(t, after) {
		t.Errorf("the new password is not accepted")
	}
	d.keeps(t, "a change of the password")
}

// staysOutOfSight requires that a password shows in no process's arguments, in the logs, and in nothing that the engine tells.
func (d *database) staysOutOfSight(t testing.TB, password string) {
	t.Helper()
	id := d.container(t)
	for where, text := range map[string]string{
		"arguments of processes": d.Docker(t, "exec", id, "sh", "-c", "cat /proc/[0-9]*/cmdline"),
		"the container":          d.Docker(t, "inspect", id),
		"the service":            d.Docker(t, "service", "inspect", d.name+"_db"),
		"the logs":               d.Docker(t, "service", "logs", d.name+"_db"),
	} {
		if strings.Contains(text, password) {
			t.Errorf("the password stands in %s", where)
		}
	}
}

// TestAccURLConnects hands the URL's secret to clients. That of MariaDB takes no URLs: it gets the parts, as a driver that
// parses the URL has them.
func TestAccURLConnects(t *testing.T) {
	clients := map[string]string{
		"postgres": `psql -XAtc 'SELECT 6*7' "$(cat /run/secrets/url)"`,
		"mariadb": `MYSQL_PWD=$PASSWORD mariadb --no-defaults --protocol=tcp --host="$HOST" --port="$PORT" --user="$LOGIN" --database="$DATABASE" ` +
			`--default-character-set=utf8mb4 --skip-column-names --batch --execute='SELECT 6*7'`,
		// redis-cli takes the user for one without a name, and other clients for the default one.
		"redis": `redis-cli -u "$(sed 's#//:#//default:#' /run/secrets/url)" EVAL 'return 6*7' 0`,
	}
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		settings := []string{"password_wo = var.password"}
		if e.name != "redis" {
			d.user, d.database = "the-user ü/@:", "my data?base"
			settings = append(settings, fmt.Sprintf("username = %q", d.user), fmt.Sprintf("database = %q", d.database))
		}
		w := providertest.NewWorkspace(t, d.config(settings...))
		w.Variable("password", awkward)
		w.Apply()
		_, secret, _ := strings.Cut(d.secrets(t, w), " ")
		service := d.name + "_client"
		d.Docker(t, "service", "create", "--quiet", "--detach", "--name", service, "--label", "com.docker.stack.namespace="+d.name,
			"--no-resolve-image", "--stop-grace-period", "1s", "--network", d.name+"_default", "--secret", "source="+secret+",target=url",
			"--entrypoint", "sh", d.image(e.version), "-c", "sleep 100")
		s.WaitRunning(t, service, 1)
		answer, err := s.Inside(t, service, clients[e.name], partsOfURL(t, s, service)...)
		if err != nil || strings.TrimSpace(answer) != "42" {
			t.Errorf("the client's answer is %q (error %v), want 42", answer, err)
		}
		d.Docker(t, "service", "rm", service)
	})
}

// partsOfURL are those of the URL that a service mounts, as an environment.
func partsOfURL(t testing.TB, s *acctest.Swarm, service string) []string {
	t.Helper()
	text, err := s.Inside(t, service, "cat /run/secrets/url")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal("the secret is no URL") // without the text, which has the password
	}
	password, _ := u.User.Password()
	return []string{"HOST=" + u.Hostname(), "PORT=" + u.Port(), "LOGIN=" + u.User.Username(), "PASSWORD=" + password, "DATABASE=" + strings.TrimPrefix(u.Path, "/")}
}
