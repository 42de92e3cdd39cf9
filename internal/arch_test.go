package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/swarmkeel/terraform-provider-swarm"

// rule says which packages may import what lies below a path. allowed is relative
// to the module; "internal/provider" allows the package and all below it.
type rule struct {
	name    string
	path    string
	inTests bool // the rule binds test files as well
	allowed []string
	about   []string // only these packages are bound; empty binds all but the allowed
}

var rules = []rule{
	{name: "Terraform is known below internal/provider alone", path: "github.com/hashicorp/", inTests: true,
		allowed: []string{"main", "internal/provider", "internal/acctest", "internal/deps"}},
	{name: "the Docker client is used in internal/swarm alone", path: "github.com/docker/docker/client",
		allowed: []string{"internal/swarm", "internal/acctest", "internal/deps"}},
	{name: "go-git is used in internal/git alone", path: "github.com/go-git/", inTests: true,
		allowed: []string{"internal/git"}},
	{name: "git knows no package of ours", path: module + "/internal/",
		about: []string{"internal/git"}},
	{name: "the core is reached by adapters and the provider alone", path: module + "/internal/reconcile",
		allowed: []string{"internal/reconcile", "internal/swarm", "internal/provider"}},
	{name: "the core knows objects and no other package of ours", path: module + "/internal/",
		about: []string{"internal/reconcile"}, allowed: []string{"internal/object"}},
	{name: "objects know no package of ours", path: module + "/internal/",
		about: []string{"internal/object"}},
	{name: "a spec knows no package of ours", path: module + "/internal/",
		about: []string{"internal/spec"}},
	{name: "rendering knows specs and objects", path: module + "/internal/",
		about: []string{"internal/render"}, allowed: []string{"internal/spec", "internal/object"}},
	{name: "the engine's adapter knows the core's port and objects", path: module + "/internal/",
		about: []string{"internal/swarm"}, allowed: []string{"internal/reconcile", "internal/object"}},
	{name: "a spec knows no Docker type", path: "github.com/docker/",
		about: []string{"internal/spec"}},
	{name: "the lifecycle knows no kind", path: module + "/internal/provider/",
		about: []string{"internal/provider/lifecycle"}},
}

func TestImportRules(t *testing.T) {
	packages := goList(t)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			bound := 0
			for _, p := range packages {
				if !r.binds(p.rel()) {
					continue
				}
				bound++
				imports := p.Imports
				if r.inTests {
					imports = append(append(imports, p.TestImports...), p.XTestImports...)
				}
				for _, path := range imports {
					if r.breaks(path) {
						t.Errorf("%s imports %s", p.rel(), path)
					}
				}
			}
			if bound == 0 {
				t.Errorf("the rule binds no package: it is about something that does not exist")
			}
		})
	}
}

// binds reports whether the rule is about the imports of a package.
func (r rule) binds(pkg string) bool {
	if len(r.about) > 0 {
		return below(pkg, r.about)
	}
	return !below(pkg, r.allowed)
}

// breaks reports whether a package that the rule binds may not import a path.
func (r rule) breaks(path string) bool {
	if !strings.HasPrefix(path, r.path) {
		return false
	}
	if len(r.about) == 0 {
		return true
	}
	target := strings.TrimPrefix(path, module+"/")
	return !below(target, r.allowed) && !below(target, r.about)
}

func below(pkg string, roots []string) bool {
	for _, root := range roots {
		if pkg == root || strings.HasPrefix(pkg, root+"/") {
			return true
		}
	}
	return false
}

type listed struct {
	ImportPath, Name                   string
	Imports, TestImports, XTestImports []string
}

// rel is the import path within the module; "main" for the command.
func (p listed) rel() string {
	if p.ImportPath == module {
		return "main"
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

func goList(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Imports,TestImports,XTestImports", module+"/...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
	return packages
}
