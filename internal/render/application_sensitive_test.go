package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

const password = `s3cr#t: 'two "words" \n=x`

// sensitivePaths are "service/web env.A" and so on.
func sensitivePaths(r *Rendered) []string {
	paths := []string{}
	for _, o := range r.Objects {
		for _, p := range o.Sensitive {
			paths = append(paths, o.Ref().String()+" "+p.String())
		}
	}
	return paths
}

func TestSensitiveVariablesAreFoundWhereTheyCanBeHidden(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"environment as a map":          {web("environment: {A: \"x${PW}y\", B: plain}"), []string{"service/web env.A"}},
		"environment as a list":         {web("environment: [\"A=${PW}\", B=plain]"), []string{"service/web env.A"}},
		"a bare environment key":        {web("environment: [PW]"), []string{"service/web env.PW"}},
		"a bare key of an env file":     {web("env_file: a.env"), []string{"service/web env.PW"}},
		"in a default":                  {web("environment: {A: \"${NOPE:-$PW}\"}"), []string{"service/web env.A"}},
		"a command as a string":         {web("command: run --token=${SHORT}"), []string{"service/web command"}},
		"a command as a list":           {web("command: [run, \"${PW}\"]"), []string{"service/web command"}},
		"an entrypoint":                 {web("entrypoint: [run, \"${PW}\"]"), []string{"service/web entrypoint"}},
		"labels of the container":       {web("labels: {a.b: \"${PW}\"}"), []string{`service/web container_labels["a.b"]`}},
		"labels of the service":         {web("deploy: {labels: [\"a.b=${PW}\"]}"), []string{`service/web labels["a.b"]`}},
		"a healthcheck":                 {web("healthcheck: {test: \"curl -u ${PW} localhost\"}"), []string{"service/web healthcheck.test"}},
		"logging options":               {web("logging: {driver: splunk, options: {splunk-token: \"${PW}\"}}"), []string{`service/web logging.options.splunk-token`}},
		"a hostname":                    {web("hostname: \"${SHORT}\""), []string{"service/web hostname"}},
		"extra hosts":                   {web("extra_hosts: [\"db:${IP}\"]"), []string{"service/web hosts"}},
		"the content of a config":       {web("configs: [c]") + "configs: {c: {content: \"pw=${PW}\"}}", []string{"config/c content"}},
		"a config from a variable":      {web("configs: [c]") + "configs: {c: {environment: PW}}", []string{"config/c content"}},
		"a config with a name":          {web("configs: [c]") + "configs: {c: {environment: PW, name: fixed}}", []string{"config/c content"}},
		"a large content":               {web("configs: [c]") + "configs: {c: {environment: LARGE}}", []string{"config/c content"}},
		"a secret shows nothing anyway": {web("secrets: [s]") + "secrets: {s: {environment: PW}}", []string{}},
		"an empty one hides nothing":    {web("environment: {A: \"${EMPTY}\"}"), []string{}},
		"presence alone tells nothing":  {web("environment: {A: \"${PW:+yes}\"}"), []string{}},
		"an unused one":                 {web("environment: {A: x}"), []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			rendered := mustRender(t, shop(c.text, file("a.env", "PW\nB=plain\n"), sensitive("PW", password), sensitive("EMPTY", ""),
				sensitive("SHORT", "tok-123"), sensitive("IP", "10.0.0.7"), sensitive("LARGE", strings.Repeat("x", 900_000))))
			if diff := cmp.Diff(c.want, sensitivePaths(rendered)); diff != "" {
				t.Errorf("sensitive (-want +got):\n%s", diff)
			}
			scope := object.Scope{Kind: "application", Release: "shop"}
			names := object.NamesOf(rendered.Objects)
			for _, o := range rendered.Objects {
				form, err := o.Form(object.View{Names: names})
				if err != nil {
					t.Fatal(err)
				}
				shown := form.Redact(scope, o.Ref(), o.Sensitive).JSON()
				for _, value := range []string{"s3cr", "tok-123", "10.0.0.7", "xxxx"} {
					if strings.Contains(shown, value) {
						t.Errorf("%s shows %q: %s", o.Ref(), value, shown)
					}
				}
			}
		})
	}
}

// Wherever else a sensitive variable stands, the plan is an error that names the
// variable, the service and the key, and no error shows a value.
func TestSensitiveVariablesAreRefusedElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"an image":                        {"services: {web: {image: \"x:${PW}\"}}\n", "services.web.image"},
		"replicas":                        {web("deploy: {replicas: \"${PW}\"}"), "services.web.deploy.replicas"},
		"a port":                          {web("ports: [\"${PW}:80\"]"), "services.web.ports[0]"},
		"a mount":                         {web("volumes: [\"${PW}:/x\"]"), "services.web.volumes[0]"},
		"a user":                          {web("user: \"${PW}\""), "services.web.user"},
		"a network name":                  {web("networks: [n]") + "networks: {n: {name: \"${PW}\"}}", "networks.n.name"},
		"a driver option":                 {web("volumes: [v:/x]") + "volumes: {v: {driver_opts: {o: \"password=${PW}\"}}}", "volumes.v.driver_opts.o"},
		"a file path":                     {web("configs: [c]") + "configs: {c: {file: \"${PW}\"}}", "configs.c.file"},
		"a config name":                   {web("configs: [c]") + "configs: {c: {content: x, name: \"${PW}\"}}", "configs.c.name"},
		"an env file path":                {web("env_file: \"${PW}\""), "services.web.env_file"},
		"the key of an environment entry": {web("environment: [\"${PW}=x\"]"), "services.web.environment[0]"},
		"an environment entry as a whole": {web("environment: [\"${PW}\"]"), "services.web.environment[0]"},
		"the key of a label":              {web("labels: [\"a${PW}\"]"), "services.web.labels[0]"},
		"a constraint":                    {web("deploy: {placement: {constraints: [\"node.id==${PW}\"]}}"), "services.web.deploy.placement.constraints[0]"},
		"the mode":                        {web("deploy: {mode: \"${PW}\"}"), "services.web.deploy.mode"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Application(shop(c.text, sensitive("PW", "h1dden")))
			var errs []string
			for _, p := range problems {
				if p.Severity == spec.Error {
					errs = append(errs, p.Summary)
				}
				if text := fmt.Sprintf("%+v %s", p, p); strings.Contains(text, "h1dden") {
					t.Errorf("a problem shows the value: %s", text)
				}
			}
			if diff := cmp.Diff([]string{"Sensitive variable PW cannot be hidden in " + c.want}, errs); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// Errors about what a sensitive variable went into do not quote its value.
func TestErrorsDoNotQuoteSensitiveValues(t *testing.T) {
	for name, text := range map[string]string{
		"a command with an open quote":    web("command: \"sh -c ${QUOTE}\""),
		"a required variable's message":   web("user: \"${NOPE:?not ${PW}}\""),
		"a repeated label":                web("labels: [\"a=${PW}\", \"a=${PW}\"]"),
		"an env file without names":       web("env_file: a.env"),
		"a healthcheck with both":         web("healthcheck: {disable: true, test: \"${PW}\"}"),
		"an environment of another type":  web("environment: {A: [\"${PW}\"]}"),
		"a wrong type beside a value":     web("environment: \"${PW}\""),
		"a circle beside a hidden value":  web("depends_on: [web]\nenvironment: [\"A=${PW}\"]"),
		"a host that is not one":          web("extra_hosts: {\"${PW}\": [\"${PW}\"]}"),
		"a config with a name that fails": web("configs: [c]") + "configs: {c: {content: \"${PW}\", name: \"-\"}}",
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Application(shop(text, file("a.env", "=h1dden\n"), sensitive("PW", "h1dden"), sensitive("QUOTE", "'h1dden")))
			if !problems.HasErrors() {
				t.Fatal("there is no error to look at")
			}
			if all := fmt.Sprintf("%+v", problems) + problems.Error(); strings.Contains(all, "h1dden") {
				t.Errorf("the value is shown:\n%s", all)
			}
		})
	}
}
