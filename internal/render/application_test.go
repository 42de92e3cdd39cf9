package render

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// shop is an application of one Compose text.
func shop(text string, changes ...func(*spec.Application)) spec.Application {
	app := spec.Application{Name: "shop", Compose: []spec.Source{{Name: "compose[0]", Text: text}}}
	for _, change := range changes {
		change(&app)
	}
	return app
}

func variable(name, value string) func(*spec.Application) {
	return func(app *spec.Application) {
		if app.Variables == nil {
			app.Variables = map[string]string{}
		}
		app.Variables[name] = value
	}
}

func sensitive(name, value string) func(*spec.Application) {
	return func(app *spec.Application) {
		if app.SensitiveVariables == nil {
			app.SensitiveVariables = map[string]string{}
		}
		app.SensitiveVariables[name] = value
	}
}

func file(name, text string) func(*spec.Application) {
	return func(app *spec.Application) {
		if app.Files == nil {
			app.Files = map[string]string{}
		}
		app.Files[name] = text
	}
}

func secret(key, value string) func(*spec.Application) {
	return func(app *spec.Application) {
		if app.Secrets == nil {
			app.Secrets = map[string]string{}
		}
		app.Secrets[key] = value
	}
}

func override(text string) func(*spec.Application) {
	return func(app *spec.Application) {
		app.Compose = append(app.Compose, spec.Source{Name: "compose[1]", Text: text})
	}
}

func mustRender(t *testing.T, app spec.Application) *Rendered {
	t.Helper()
	rendered, problems := Application(app)
	if problems.HasErrors() {
		t.Fatalf("it does not render:\n%s", problems.Error())
	}
	return rendered
}

func find(t *testing.T, r *Rendered, ref string) object.Object {
	t.Helper()
	for _, o := range r.Objects {
		if o.Ref().String() == ref {
			return o
		}
	}
	t.Fatalf("there is no %s", ref)
	return object.Object{}
}

func service(t *testing.T, r *Rendered, key string) *swarm.ServiceSpec {
	t.Helper()
	return find(t, r, "service/"+key).Spec.(*swarm.ServiceSpec)
}

// forms are the canonical forms of all objects, and what else was rendered.
func forms(t *testing.T, r *Rendered) map[string]any {
	t.Helper()
	names := object.NamesOf(r.Objects)
	all := map[string]any{"external": r.External, "needs": r.Needs}
	for _, o := range r.Objects {
		form, err := o.Form(object.View{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		all[o.Ref().String()] = map[string]any{"form": form, "dependsOn": o.DependsOn}
	}
	return all
}

// web is a service "web" with more lines.
func web(lines string) string {
	return "services:\n  web:\n    image: nginx\n    " + strings.ReplaceAll(lines, "\n", "\n    ") + "\n"
}

// Ways to write a thing that docker/cli refuses or misreads, and what they mean.
func TestDifferentWordsMeanTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		written, plain string
		changes        []func(*spec.Application)
	}{
		"a quoted published port is a number": {
			written: web("ports:\n- {target: \"80\", published: \"8080\"}"),
			plain:   web("ports:\n- {target: 80, published: 8080}"),
		},
		"a quoted file mode is octal": {
			written: web("configs:\n- {source: c, mode: \"0440\"}") + "configs: {c: {file: c}}",
			plain:   web("configs:\n- {source: c, mode: 0440}") + "configs: {c: {file: c}}",
			changes: []func(*spec.Application){file("c", "x")},
		},
		"an interpolated file mode is octal as well": {
			written: web("configs:\n- {source: c, mode: \"${MODE}\"}") + "configs: {c: {file: c}}",
			plain:   web("configs:\n- {source: c, mode: 0440}") + "configs: {c: {file: c}}",
			changes: []func(*spec.Application){file("c", "x"), variable("MODE", "0440")},
		},
		"numbers may be quoted everywhere": {
			written: web("deploy:\n  replicas: \"2\"\n  update_config: {parallelism: \"2\", max_failure_ratio: \"0.5\"}\nhealthcheck: {test: x, retries: \"4\"}"),
			plain:   web("deploy:\n  replicas: 2\n  update_config: {parallelism: 2, max_failure_ratio: 0.5}\nhealthcheck: {test: x, retries: 4}"),
		},
		"booleans may be quoted": {
			written: web("tty: \"yes\"\nread_only: \"true\"\ninit: \"false\""),
			plain:   web("tty: true\nread_only: true\ninit: false"),
		},
		"cpus may be a number": {
			written: web("deploy: {resources: {limits: {cpus: 0.5}}}"),
			plain:   web("deploy: {resources: {limits: {cpus: \"0.5\"}}}"),
		},
		"a boolean in environment is its word": {
			written: web("environment: {DEBUG: true}"),
			plain:   web("environment: {DEBUG: \"true\"}"),
		},
		"a date in environment is its text": {
			written: web("environment: {SINCE: 2001-02-03}"),
			plain:   web("environment: {SINCE: \"2001-02-03\"}"),
		},
		"numbers in a command are words": {
			written: web("command: [sleep, 3600, 0x10]"),
			plain:   web("command: [sleep, \"3600\", \"0x10\"]"),
		},
		"a key without a value is not set": {
			written: web("environment:\ndeploy:\nports:"),
			plain:   web("tty: false"),
		},
		"any version 3 is read by the newest schema": {
			written: "version: \"3.2\"\n" + web("deploy: {placement: {max_replicas_per_node: 1}}"),
			plain:   web("deploy: {placement: {max_replicas_per_node: 1}}"),
		},
		"name may repeat the application's name": {
			written: "name: shop\n" + web("tty: true"),
			plain:   web("tty: true"),
		},
		"files come with a byte order mark and CRLF": {
			written: "\xef\xbb\xbf" + strings.ReplaceAll(web("tty: true"), "\n", "\r\n"),
			plain:   web("tty: true"),
		},
		"files come in UTF-16": {
			written: utf16Text(web("hostname: zürich")),
			plain:   web("hostname: zürich"),
		},
		"two << keys merge as one list": {
			written: "x-a: &a {A: 1}\nx-b: &b {B: 2}\n" + web("environment:\n  <<: *a\n  <<: *b"),
			plain:   web("environment: {A: 1, B: 2}"),
		},
		"a key written out wins over a merged one": {
			written: "x-a: &a {A: 1, B: 1}\n" + web("environment:\n  A: 2\n  <<: *a"),
			plain:   web("environment: {A: 2, B: 1}"),
		},
		"the first of a merged list wins": {
			written: "x-a: &a {A: 1}\nx-b: &b {A: 2, B: 2}\n" + web("environment:\n  <<: [*a, *b]"),
			plain:   web("environment: {A: 1, B: 2}"),
		},
		"an unset variable in an unused extension is nobody's fault": {
			written: "x-a: {A: \"${NOPE}\"}\n" + web("tty: true"),
			plain:   web("tty: true"),
		},
		"two dollars are one": {
			written: web("command: [\"$$HOME\", \"$$$$\"]"),
			plain:   web("command: [\"${HOME}\", \"${TWO}\"]"),
			changes: []func(*spec.Application){variable("HOME", "$HOME"), variable("TWO", "$$")},
		},
		"content is a config without a file": {
			written: web("configs: [c]") + "configs: {c: {content: \"hi ${WHO}\"}}",
			plain:   web("configs: [c]") + "configs: {c: {file: ./a/../c}}",
			changes: []func(*spec.Application){variable("WHO", "you"), file("c", "hi you")},
		},
		"a config can come from a variable": {
			written: web("configs: [c]") + "configs: {c: {environment: WHO}}",
			plain:   web("configs: [c]") + "configs: {c: {file: c}}",
			changes: []func(*spec.Application){variable("WHO", "you"), file("c", "you")},
		},
		"external.name is a name": {
			written: web("networks: [n]") + "networks: {n: {external: {name: proxy}}}",
			plain:   web("networks: [n]") + "networks: {n: {external: true, name: proxy}}",
		},
		"the long form of env_file": {
			written: web("env_file:\n- path: a.env\n- {path: missing.env, required: false}"),
			plain:   web("environment: {A: \"1\", B: \" 2\"}"),
			changes: []func(*spec.Application){file("./a.env", "# comment\nA=1\n\nB= 2\n")},
		},
		"environment wins over env_file": {
			written: web("env_file: a.env\nenvironment: [A=2]"),
			plain:   web("environment: {A: \"2\", B: \"1\"}"),
			changes: []func(*spec.Application){file("a.env", "A=1\nB=1")},
		},
		"a bare key takes the variable of its name": {
			written: web("environment: [A, NOPE]"),
			plain:   web("environment: {A: \"1\", NOPE: }"),
			changes: []func(*spec.Application){variable("A", "1")},
		},
		"a list and a map of depends_on": {
			written: web("depends_on: [db]") + "  db: {image: x}\n",
			plain:   web("depends_on: {db: {condition: service_started}}") + "  db: {image: x}\n",
		},
		"a dependency that is not required may be missing": {
			written: web("depends_on: {db: {condition: service_healthy, required: false}}"),
			plain:   web("tty: false"),
		},
		"a service with profiles is left out": {
			written: web("tty: false") + "  debug: {image: x, profiles: [debug], volumes: [nope:/x]}\n",
			plain:   web("tty: false"),
		},
		"a port on all addresses": {
			written: web("ports: [\"0.0.0.0:80:80\"]"),
			plain:   web("ports: [\"80:80\"]"),
		},
		"notes on ports are dropped": {
			written: web("ports: [{target: 80, name: http, app_protocol: http}]"),
			plain:   web("ports: [{target: 80}]"),
		},
		"a tmpfs size with a unit": {
			written: web("volumes: [{type: tmpfs, target: /t, tmpfs: {size: 64m}}]"),
			plain:   web("volumes: [{type: tmpfs, target: /t, tmpfs: {size: 67108864}}]"),
		},
		"a duration of zero needs no unit": {
			written: web("deploy: {update_config: {delay: 0}}"),
			plain:   web("deploy: {update_config: {delay: 0s}}"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := forms(t, mustRender(t, shop(c.plain, c.changes...)))
			got := forms(t, mustRender(t, shop(c.written, c.changes...)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("they differ (-plain +written):\n%s", diff)
			}
		})
	}
}

func utf16Text(s string) string {
	b := []byte{0xff, 0xfe}
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return string(b)
}

// Several files merge as `docker stack deploy -c a -c b` merges them.
func TestFilesMergeLikeDockerStackDeploy(t *testing.T) {
	for name, texts := range map[string][2]string{
		"scalars are replaced":             {web("user: a"), web("user: b")},
		"environment is merged by key":     {web("environment: {A: 1, B: 1}"), web("environment: [B=2, C=2]")},
		"ports are merged by published":    {web("ports: [\"80:80\", \"81:81\"]"), web("ports: [\"80:8080\"]")},
		"volumes are merged by target":     {web("volumes: [a:/x]") + "volumes: {a: {}, b: {}}", web("volumes: [b:/x]")},
		"a command is replaced":            {web("command: [a, b]"), web("command: [c]")},
		"constraints are added":            {web("deploy: {placement: {constraints: [node.role==manager]}}"), web("deploy: {placement: {constraints: [node.id==x]}}")},
		"services are added":               {web("user: a"), "services: {db: {image: x}}\n"},
		"an override needs no image":       {web("user: a"), "services: {web: {deploy: {replicas: 3}}}\n"},
		"networks are replaced by section": {web("networks: [n]") + "networks: {n: {driver: overlay}}", "networks: {n: {attachable: true}}\n"},
		"secrets are merged by source":     {web("secrets: [s]") + "secrets: {s: {external: true}}", web("secrets: [{source: s, target: t}]")},
	} {
		t.Run(name, func(t *testing.T) {
			app := shop(texts[0], override(texts[1]))
			want, err := dockerStackDeploy(t, app)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, withStackNames(mustRender(t, app), "shop")); diff != "" {
				t.Errorf("services differ (-docker +ours):\n%s", diff)
			}
		})
	}
}
