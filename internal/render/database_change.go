package render

import (
	"fmt"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// DatabaseIdentity is what a database cannot change in place, with "" for what is
// not known.
type DatabaseIdentity struct {
	Engine, Version    string
	Username, Database string
}

// LiveDatabase reads the identity of a database out of the canonical form of its
// service: what really runs, whatever a state says.
func LiveDatabase(service object.Form) DatabaseIdentity {
	var live DatabaseIdentity
	mounts, _ := service["mounts"].(map[string]any)
	for name, e := range databaseEngines {
		if _, ok := mounts[e.data]; ok {
			live.Engine = name
		}
	}
	if live.Engine == "" {
		return live // it keeps no data of an engine, and the tag of its image is no engine's version
	}
	image, _ := service["image"].(string)
	live.Version = imageVersion(image).String()
	// What healthcheck renders: CMD, sh, -c, the script, sh, host, user, database.
	check, _ := service["healthcheck"].(map[string]any)
	if test, _ := check["test"].([]any); len(test) == 8 {
		live.Username, _ = test[6].(string)
		live.Database, _ = test[7].(string)
	}
	return live
}

// DatabaseChange refuses what a database cannot become in place. was may say the
// same thing twice, or different things, as when the image was changed by hand: the
// change has to be possible from all of them.
func DatabaseChange(name string, to DatabaseIdentity, was ...DatabaseIdentity) spec.Problems {
	r := &report{}
	for _, from := range was {
		if engineChanged(name, to, from, r) {
			continue
		}
		if e := databaseEngines[to.Engine]; e != nil {
			versionChanged(name, e, to, from, r)
		}
		for _, n := range []struct{ attribute, to, from string }{
			{"username", to.Username, from.Username}, {"database", to.Database, from.Database},
		} {
			if n.to != "" && n.from != "" && n.to != n.from {
				r.attributeError([]string{n.attribute}, fmt.Sprintf("The %s of database %s cannot change", n.attribute, name),
					fmt.Sprintf("It is %q and would become %q, which the data of the server does not know. Take %[1]q back; other users and databases are made with the engine's own means, as user %[3]q.",
						n.from, n.to, from.Username))
			}
		}
	}
	r.problems.Sort()
	return r.problems
}

func engineChanged(name string, to, from DatabaseIdentity, r *report) bool {
	before, after := databaseEngines[from.Engine], databaseEngines[to.Engine]
	if before == nil || after == nil || before == after {
		return false
	}
	r.attributeError([]string{"engine"}, fmt.Sprintf("Database %s cannot become another engine", name),
		fmt.Sprintf("It is %s, whose data %s cannot read. Make another resource for the new one, move the data, and destroy this one then.", before.title, after.title))
	return true
}

// versionChanged refuses another line, up or down, and an older version of the same
// one.
func versionChanged(name string, e *databaseEngine, to, from DatabaseIdentity, r *report) {
	before, after := parseVersion(from.Version), parseVersion(to.Version)
	at := []string{"version"}
	oldLine, newLine := before.line(e.line), after.line(e.line)
	switch {
	case before == nil || after == nil || oldLine == "" || newLine == "":
	case oldLine != newLine && after.compare(before) > 0:
		r.attributeError(at, fmt.Sprintf("Database %s cannot be upgraded from %s %s to %s in place", name, e.title, oldLine, newLine),
			fmt.Sprintf("Another major version needs its data converted. Keep a version that begins with %s; to move on, make another resource with %s %s, and carry the data over with a dump.", oldLine, e.title, newLine))
	case after.compare(before) < 0:
		r.attributeError(at, fmt.Sprintf("Database %s cannot be taken back from %s %s to %s", name, e.title, before, after),
			fmt.Sprintf("An older version may not read what a newer one has written. Keep %s, or a later one that begins with %s.", before, oldLine))
	}
}
