package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
	swarmbackend "github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

// TestAccPublishedStacksBecomeWhatDockerStackDeployCreates deploys each published stack twice on one real swarm, with
// `docker stack deploy` and with the core, and compares what is there afterwards, object by object in canonical form.
//
// What is refused by design is rewritten first, see rewriteRefused. The node is drained: objects are compared, and
// no task of an image that is not there has to fail for it.
func TestAccPublishedStacksBecomeWhatDockerStackDeployCreates(t *testing.T) {
	stacks := readPublishedStacks(t)
	lab := newStackLab(t)
	equal, accepted := 0, 0
	var skipped []string
	for _, s := range stacks {
		if !s.accepted {
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			app := rewriteRefused(t, s.app)
			app.Name = lab.swarm.RandomName(t)
			rendered, problems := Application(app)
			if reason := lab.refusedByBoth(app, problems); reason != "" {
				skipped = append(skipped, s.file+": "+reason)
				t.Skip(reason)
			}
			if problems.HasErrors() {
				t.Fatalf("it does not render:\n%s", problems.Error())
			}
			lab.makeExternal(t, rendered.External)

			want, refused := lab.deployWithDocker(t, app)
			if refused != "" {
				skipped = append(skipped, s.file+": docker stack deploy says: "+refused)
				t.Skip(refused)
			}
			accepted++
			if diff := cmp.Diff(want, lab.deployWithCore(t, app, rendered)); diff != "" {
				t.Fatalf("objects differ (-docker +ours):\n%s", diff)
			}
			equal++
		})
	}
	t.Logf("%d of %d stacks are equal, object by object; %d are skipped:\n%s", equal, accepted, len(skipped), strings.Join(skipped, "\n"))
	if accepted == 0 {
		t.Error("no stack was compared")
	}
}

// stackLab is a swarm of its own whose node runs nothing.
type stackLab struct {
	swarm *acctest.Swarm
	core  *reconcile.Core
}

func newStackLab(t *testing.T) *stackLab {
	t.Helper()
	lab := &stackLab{swarm: acctest.StartNodes(t, 1)}
	lab.swarm.Docker(t, "node", "update", "--availability", "drain", "n1")
	backend, err := swarmbackend.New(swarmbackend.Config{Host: lab.swarm.Host()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	lab.core = reconcile.New(backend, reconcile.PollEvery(50*time.Millisecond))
	return lab
}

// refusedByBoth says why a stack is refused by us that docker's schema accepts, when its author has to mend it.
func (lab *stackLab) refusedByBoth(app spec.Application, problems spec.Problems) string {
	if !problems.HasErrors() {
		return ""
	}
	if folder, err := os.MkdirTemp("", "keelstack"); err == nil {
		defer func() { _ = os.RemoveAll(folder) }()
		if refused, err := lab.stackDeploy(folder, app); err == nil && refused != "" {
			return "refused by both; docker says: " + refused
		}
	}
	return ""
}

// makeExternal makes what the stack expects to be there.
func (lab *stackLab) makeExternal(t *testing.T, external []object.External) {
	t.Helper()
	ctx, client := context.Background(), lab.swarm.Client()
	for _, e := range external {
		var err error
		switch e.Kind {
		case object.KindNetwork:
			if _, look := client.NetworkInspect(ctx, e.Name, network.InspectOptions{}); look != nil {
				_, err = client.NetworkCreate(ctx, e.Name, network.CreateOptions{Driver: "overlay", Scope: "swarm", Attachable: true})
			}
		case object.KindSecret:
			if _, _, look := client.SecretInspectWithRaw(ctx, e.Name); look != nil {
				_, err = client.SecretCreate(ctx, swarm.SecretSpec{Annotations: swarm.Annotations{Name: e.Name}, Data: []byte("x")})
			}
		case object.KindConfig:
			if _, _, look := client.ConfigInspectWithRaw(ctx, e.Name); look != nil {
				_, err = client.ConfigCreate(ctx, swarm.ConfigSpec{Annotations: swarm.Annotations{Name: e.Name}, Data: []byte("x")})
			}
		}
		if err != nil {
			t.Fatalf("making the external %s %s: %v", e.Kind, e.Name, err)
		}
	}
}

// deployWithDocker returns what docker creates, and removes it again; or why docker or the engine refuses the stack.
func (lab *stackLab) deployWithDocker(t *testing.T, app spec.Application) (map[string]object.Form, string) {
	t.Helper()
	refused, err := lab.stackDeploy(t.TempDir(), app)
	if err != nil {
		t.Fatal(err)
	}
	if refused != "" {
		return nil, refused
	}
	defer lab.swarm.Sweep(t, app.Name)
	return lab.forms(t, app.Name, nil), ""
}

// stackDeploy runs `docker stack deploy` in a folder with the files of an application.
func (lab *stackLab) stackDeploy(folder string, app spec.Application) (refused string, err error) {
	secrets, err := secretFiles(app)
	if err != nil {
		return "", err
	}
	files := maps.Clone(app.Files)
	if files == nil {
		files = map[string]string{}
	}
	files["stack.yml"], files["secrets.yml"] = app.Compose[0].Text, secrets
	for key, content := range app.Secrets {
		files[secretFile(key)] = content
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("docker", "-H", lab.swarm.Host(), "stack", "deploy", "--resolve-image=never", "-c", "stack.yml", "-c", "secrets.yml", app.Name)
	cmd.Dir = folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "DOCKER_CONFIG=" + folder}
	for name, value := range app.Variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		lines := strings.Split(strings.TrimSpace(string(bytes.ToValidUTF8(out, nil))), "\n")
		return lines[len(lines)-1], nil
	}
	return "", err
}

func secretFile(key string) string { return "secret-" + key }

// secretFiles is a second Compose file, which declares the contents of `secrets_wo` as docker wants them.
func secretFiles(app spec.Application) (string, error) {
	var first struct {
		Version any            `yaml:"version"`
		Secrets map[string]any `yaml:"secrets"`
	}
	if err := yaml.Unmarshal([]byte(app.Compose[0].Text), &first); err != nil {
		return "", fmt.Errorf("read the stack: %w", err)
	}
	secrets := map[string]any{}
	for key := range app.Secrets {
		secret, _ := first.Secrets[key].(map[string]any)
		secret = maps.Clone(secret)
		if secret == nil {
			secret = map[string]any{}
		}
		secret["file"] = secretFile(key)
		secrets[key] = secret
	}
	second := map[string]any{"secrets": secrets}
	if first.Version != nil {
		second["version"] = first.Version
	}
	text, err := yaml.Marshal(second)
	return string(text), err
}

// deployWithCore returns what the core creates, and removes it again.
func (lab *stackLab) deployWithCore(t *testing.T, app spec.Application, rendered *Rendered) map[string]object.Form {
	t.Helper()
	ctx := context.Background()
	for i := range rendered.Objects {
		rendered.Objects[i].DependsOn = nil // nothing runs here that could be waited for, and docker knows no order
	}
	plan, err := lab.core.Plan(ctx, reconcile.Release{
		Owner:   reconcile.Owner{Release: app.Name, Kind: "application", Owner: "acceptance"},
		Objects: rendered.Objects, External: rendered.External, Needs: rendered.Needs,
	}, reconcile.PlanOptions{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.swarm.Sweep(t, app.Name)
	if _, err := lab.core.Apply(ctx, plan, reconcile.ApplyOptions{NoWait: true}); err != nil {
		t.Fatal(err)
	}
	hashed := map[string]string{}
	for _, o := range rendered.Objects {
		if (o.Kind == object.KindConfig || o.Kind == object.KindSecret) && !o.FixedName {
			hashed[o.Name] = o.Key
		}
	}
	return lab.forms(t, app.Name, hashed)
}

// forms are the canonical forms of what is there of a stack, by real name without the stack's prefix: docker keeps no
// logical names. hashed are the names that tell the content, and what docker calls these. The fingerprint of a secret is
// ours alone: its content cannot be read.
func (lab *stackLab) forms(t *testing.T, stack string, hashed map[string]string) map[string]object.Form {
	t.Helper()
	backend, err := swarmbackend.New(swarmbackend.Config{Host: lab.swarm.Host()}) // reads what is there now
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = backend.Close() }()
	view, err := reconcile.New(backend).Inspect(context.Background(), stack, "")
	if err != nil {
		t.Fatal(err)
	}
	called := func(o object.Object) string {
		if name, ok := hashed[o.Name]; ok {
			return name
		}
		return strings.TrimPrefix(o.Name, stack+"_")
	}
	names := object.NamesOf(view.Objects)
	for _, o := range view.Objects {
		if of, ok := names[o.Kind]; ok {
			of[o.Name] = called(o)
		}
	}
	forms := map[string]object.Form{}
	for _, o := range view.Objects {
		form, err := o.Form(object.View{Names: names, Live: true})
		if err != nil {
			t.Fatal(err)
		}
		if o.Kind == object.KindSecret {
			delete(form, "fingerprint")
		}
		forms[string(o.Kind)+"/"+called(o)] = form
	}
	if !slices.ContainsFunc(view.Objects, func(o object.Object) bool { return o.Kind == object.KindService }) {
		t.Fatalf("there is no service of %s", stack)
	}
	return forms
}
