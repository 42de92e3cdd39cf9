package render

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// publishedStacks is a collection of stack files as people published them. It is
// not part of the project, because the texts belong to their authors.
const publishedStacks = "../../../shared/stacks"

type publishedStack struct {
	file     string
	accepted bool
	verdict  string
	app      spec.Application
}

func readPublishedStacks(t testing.TB) []publishedStack {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(publishedStacks, "INDEX.tsv"))
	if err != nil {
		t.Skipf("the collection of published stacks is not there: %v", err)
	}
	var stacks []publishedStack
	for _, line := range strings.Split(strings.TrimSpace(string(index)), "\n")[1:] {
		columns := strings.Split(line, "\t")
		text, err := os.ReadFile(filepath.Join(publishedStacks, columns[0]))
		if err != nil {
			t.Fatal(err)
		}
		s := publishedStack{file: columns[0], verdict: columns[1], accepted: columns[1] == "accepted", app: spec.Application{
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

func TestPublishedStacks(t *testing.T) {
	for _, s := range readPublishedStacks(t) {
		_, problems := Application(s.app)
		fmt.Println(s.file, s.verdict)
		for _, p := range problems {
			if p.Severity == spec.Error {
				fmt.Println("    E", p)
			} else {
				fmt.Println("    w", p)
			}
		}
	}
}
