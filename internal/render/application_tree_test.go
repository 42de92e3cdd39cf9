package render

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// tree is a repository in memory; a text of "!" cannot be read.
type tree map[string]string

func (t tree) File(path string) (string, error) {
	switch text, ok := t[path]; {
	case !ok:
		return "", fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	case text == "!":
		return "", errors.New("it is a Git LFS pointer")
	default:
		return text, nil
	}
}

func TestApplicationReadsFilesFromTheTree(t *testing.T) {
	app := spec.Application{Name: "shop", Compose: []spec.Source{{Name: "deploy/stack.yml", Text: `services:
  web:
    image: nginx:1
    env_file: [env/web.env]
    configs: [site]
    secrets: [key]
configs:
  site: {file: ./site.conf}
secrets:
  key: {file: key.txt}
`}}, Tree: tree{"env/web.env": "A=1\n", "site.conf": "server {}", "key.txt": "k3y"}}
	rendered, problems := Application(app)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	for _, o := range rendered.Objects {
		switch s := o.Spec.(type) {
		case *swarm.ConfigSpec:
			if string(s.Data) != "server {}" {
				t.Errorf("config %q", s.Data)
			}
		case *swarm.SecretSpec:
			if string(s.Data) != "k3y" {
				t.Errorf("secret %q", s.Data)
			}
		case *swarm.ServiceSpec:
			if env := s.TaskTemplate.ContainerSpec.Env; len(env) != 1 || env[0] != "A=1" {
				t.Errorf("environment %q", env)
			}
		case *object.NetworkSpec:
		default:
			t.Errorf("unexpected %s", o.Ref())
		}
	}
}

func TestApplicationRefusesWhatTheTreeDoesNotGive(t *testing.T) {
	const service = "services: {web: {image: \"nginx:1\", configs: [c], secrets: [s]}}\n"
	for _, c := range []struct {
		rule, rest, secret string
		want               string
	}{
		{"a missing file", "configs: {c: {file: no.conf}}\nsecrets: {s: {file: ok}}", "", `stack.yml:2: File "no.conf" is not in the repository`},
		{"a file that cannot be read", "configs: {c: {file: lfs}}\nsecrets: {s: {file: ok}}", "", "Git LFS pointer"},
		{"a config above the folder", "configs: {c: {file: ../x}}\nsecrets: {s: {file: ok}}", "", "leaves the application's files"},
		{"a secret above the folder", "configs: {c: {file: ok}}\nsecrets: {s: {file: ../x}}", "", "leaves the application's files"},
		{"a secret of the host", "configs: {c: {file: ok}}\nsecrets: {s: {file: /etc/passwd}}", "", "leaves the application's files"},
		{"a secret with two sources", "configs: {c: {file: ok}}\nsecrets: {s: {file: ok}}", "given", "more than one source"},
		{"SOPS", "configs: {c: {file: ok}}\nsecrets: {s: {file: sops.yaml}}", "", "encrypted with SOPS"},
		{"age", "configs: {c: {file: ok}}\nsecrets: {s: {file: age}}", "", "encrypted with age"},
		{"ansible-vault", "configs: {c: {file: ok}}\nsecrets: {s: {file: vault}}", "", "encrypted with ansible-vault"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			app := spec.Application{Name: "shop", Compose: []spec.Source{{Name: "stack.yml", Text: service + c.rest}}, Tree: tree{
				"ok": "fine", "lfs": "!", "age": "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "vault": "$ANSIBLE_VAULT;1.1;AES256\n3030\n",
				"sops.yaml": "password: ENC[AES256_GCM,data:aGk=,iv:x,tag:y,type:str]\nsops: {mac: x}\n",
			}}
			if c.secret != "" {
				app.Secrets = map[string]string{"s": c.secret}
			}
			_, problems := Application(app)
			if !strings.Contains(problems.Error(), c.want) {
				t.Errorf("problems are\n%s\nwant %q", problems.Error(), c.want)
			}
			for _, p := range problems {
				if len(p.Attribute) < 3 || p.Attribute[0] != "git" || p.Attribute[1] != "files" || p.Attribute[2] != "0" {
					t.Errorf("the problem is at %v, want the file in git.files", p.Attribute)
				}
			}
		})
	}
}
