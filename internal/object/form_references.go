package object

import (
	"cmp"
	"os"
	"slices"

	"github.com/docker/docker/api/types/swarm"
)

// references holds the places at which a container sees a secret or config, by
// the name that it is shown by. Ids are not compared.
type references map[string][]referenceForm

// referenceForm is one place: a file, or for a config the runtime itself (the
// credential spec of Windows containers).
type referenceForm struct {
	Target  *string `json:"target,omitempty"`
	UID     *string `json:"uid,omitempty"`
	GID     *string `json:"gid,omitempty"`
	Mode    string  `json:"mode,omitempty"`
	Runtime bool    `json:"runtime,omitempty"`
}

func fileReference(name, uid, gid string, mode os.FileMode) referenceForm {
	return referenceForm{Target: &name, UID: &uid, GID: &gid, Mode: fileMode(mode)}
}

// secretReferences leaves out a reference without a file: the engine takes none,
// and drops one that an old version let in.
func secretReferences(refs []*swarm.SecretReference, names Names) references {
	forms := references{}
	for _, r := range refs {
		if r != nil && r.File != nil {
			shown := names.Show(KindSecret, r.SecretName)
			forms[shown] = append(forms[shown], fileReference(r.File.Name, r.File.UID, r.File.GID, r.File.Mode))
		}
	}
	return forms.sorted()
}

func configReferences(refs []*swarm.ConfigReference, names Names) references {
	forms := references{}
	for _, r := range refs {
		if r == nil {
			continue
		}
		shown := names.Show(KindConfig, r.ConfigName)
		switch {
		case r.Runtime != nil:
			forms[shown] = append(forms[shown], referenceForm{Runtime: true})
		case r.File != nil:
			forms[shown] = append(forms[shown], fileReference(r.File.Name, r.File.UID, r.File.GID, r.File.Mode))
		}
	}
	return forms.sorted()
}

func (r references) sorted() references {
	for _, places := range r {
		slices.SortFunc(places, func(a, b referenceForm) int {
			return cmp.Or(
				cmp.Compare(valueOr(a.Target, ""), valueOr(b.Target, "")),
				cmp.Compare(valueOr(a.UID, ""), valueOr(b.UID, "")),
				cmp.Compare(valueOr(a.GID, ""), valueOr(b.GID, "")),
				cmp.Compare(a.Mode, b.Mode),
			)
		})
	}
	return r
}
