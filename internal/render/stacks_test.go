package render

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// publishedStacks is a collection of stack files as people published them. It is
// not part of the project, because the texts belong to their authors.
const publishedStacks = "../../../shared/stacks"

type publishedStack struct {
	file     string
	accepted bool // by `docker stack config`
	app      spec.Application
}

func readPublishedStacks(t testing.TB) []publishedStack {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(publishedStacks, "INDEX.tsv"))
	if err != nil {
		t.Skipf("the collection of published stacks is not beside the project: %v", err)
	}
	var stacks []publishedStack
	for _, line := range strings.Split(strings.TrimSpace(string(index)), "\n")[1:] {
		columns := strings.Split(line, "\t")
		text, err := os.ReadFile(filepath.Join(publishedStacks, columns[0]))
		if err != nil {
			t.Fatal(err)
		}
		s := publishedStack{file: columns[0], accepted: columns[1] == "accepted", app: spec.Application{
			Name:      "demo",
			Compose:   []spec.Source{{Name: columns[0], Text: string(text)}},
			Files:     map[string]string{},
			Variables: map[string]string{},
			Secrets:   map[string]string{},
		}}
		if columns[5] != "-" {
			for _, assignment := range strings.Fields(columns[5]) {
				name, value, _ := strings.Cut(assignment, "=")
				s.app.Variables[name] = value
			}
		}
		if columns[6] != "-" {
			for _, name := range strings.Fields(columns[6]) {
				s.app.Files[name] = ""
			}
		}
		stacks = append(stacks, s)
	}
	return stacks
}

// A stack that docker accepts becomes exactly the services and networks that
// `docker stack deploy` creates, and one that it refuses is refused.
//
// Three things are refused by design and rewritten first, for both sides:
// relative bind sources, secrets with a file, and privileged. Paths out of the
// tree become paths in it.
func TestPublishedStacksRenderLikeDockerStackDeploy(t *testing.T) {
	equal, refused := 0, 0
	for _, s := range readPublishedStacks(t) {
		if !s.accepted {
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			app := rewriteRefused(t, s.app)
			want, dockerErr := dockerStackDeploy(t, app)
			rendered, problems := Application(app)
			if dockerErr != nil {
				if !problems.HasErrors() {
					t.Fatalf("docker stack deploy refuses it (%v), and it renders", dockerErr)
				}
				refused++
				return
			}
			if problems.HasErrors() {
				t.Fatalf("docker stack deploy accepts it, and it does not render:\n%s", problems.Error())
			}
			if diff := cmp.Diff(want, withStackNames(rendered, app.Name)); diff != "" {
				t.Fatalf("objects differ (-docker +ours):\n%s", diff)
			}
			equal++
		})
	}
	t.Logf("%d stacks equal what docker stack deploy creates, %d are refused by both", equal, refused)
}

// rewriteRefused takes out of a stack what is refused by design.
func rewriteRefused(t *testing.T, app spec.Application) spec.Application {
	t.Helper()
	text, err := decodeText(app.Compose[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	app.Secrets, app.Files = maps.Clone(app.Secrets), maps.Clone(app.Files)
	root := document.Content[0]
	eachPair(child(root, "secrets"), func(name string, secret *yaml.Node) {
		if child(secret, "file") != nil {
			remove(secret, "file")
			app.Secrets[name] = "content"
		}
	})
	eachPair(child(root, "configs"), func(_ string, config *yaml.Node) {
		if file := child(config, "file"); file != nil {
			file.Value = inTree(expandPlain(app, file.Value))
			app.Files[file.Value] = "content"
		}
	})
	eachPair(child(root, "services"), func(_ string, service *yaml.Node) {
		remove(service, "privileged")
		if files := child(service, "env_file"); files != nil {
			for _, f := range append(files.Content, files) {
				if f.Kind == yaml.ScalarNode {
					f.Value = inTree(f.Value)
					app.Files[f.Value] = ""
				}
			}
		}
		if volumes := child(service, "volumes"); volumes != nil {
			for _, v := range volumes.Content {
				source := child(v, "source")
				if v.Kind == yaml.ScalarNode {
					source = v
				}
				if source != nil && strings.HasPrefix(source.Value, ".") {
					source.Value = "/srv/" + strings.TrimLeft(source.Value, "./")
				}
			}
		}
	})
	rewritten, err := yaml.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	app.Compose = []spec.Source{{Name: app.Compose[0].Name, Text: string(rewritten)}}
	files := map[string]string{}
	for name, content := range app.Files {
		files[inTree(name)] = content
	}
	app.Files = files
	return app
}

func expandPlain(app spec.Application, s string) string {
	return expand(s, variables{plain: app.Variables, sensitive: app.SensitiveVariables}.lookup).text
}

func inTree(name string) string {
	return strings.TrimLeft(filepath.Clean("/"+name), "/")
}

func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func remove(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			return
		}
	}
}

func eachPair(n *yaml.Node, visit func(string, *yaml.Node)) {
	if n == nil {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		visit(n.Content[i].Value, n.Content[i+1])
	}
}

// What docker refuses is either rendered, because its meaning is clear, or every
// problem is reported with its place, the same in every run.
func TestPublishedStacksThatDockerRefuses(t *testing.T) {
	rendered, explained := 0, 0
	for _, s := range readPublishedStacks(t) {
		if s.accepted {
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			_, first := Application(s.app)
			for range 20 {
				if _, again := Application(s.app); again.Error() != first.Error() {
					t.Fatalf("two runs report differently:\n%s\n\n%s", first.Error(), again.Error())
				}
			}
			for _, p := range first {
				if p.Severity == spec.Error && (p.File != s.file || p.Line == 0) {
					t.Errorf("a problem without a place: %s", p)
				}
			}
			if first.HasErrors() {
				explained++
			} else {
				rendered++
			}
		})
	}
	t.Logf("%d render, %d are explained", rendered, explained)
}
