package object

// Form is the canonical form of an object: a tree of map[string]any, []any,
// string, bool and json.Number-free integers (int64) as encoding/json writes it.
// Two objects mean the same to Swarm exactly when their forms are equal. Fields
// that were not set, and fields set to what the engine would fill in, are absent.
type Form map[string]any

// View is what the canonical form of an object depends on besides the object.
type View struct {
	// Names maps the real names of the release's own configs and secrets to
	// their logical keys.
	Names Names
	// Declared is the counterpart that was declared, given when the form of a
	// live object is wanted and nil otherwise. It settles what cannot be told
	// from the live side alone: whether a digest in an image and the subnet of a
	// network were asked for or filled in.
	Declared *Object
}

// Names maps real names to logical keys, per kind.
type Names map[Kind]map[string]string

// NamesOf collects the names of a release's own configs and secrets.
func NamesOf(objects []Object) Names {
	names := Names{KindConfig: {}, KindSecret: {}}
	for _, o := range objects {
		if m, ok := names[o.Kind]; ok {
			m[o.Name] = o.Key
		}
	}
	return names
}

// Show returns how a reference to the config or secret of this real name is
// shown: its logical key when it is the release's own, else the real name and
// a word that keeps the two apart.
func (n Names) Show(kind Kind, realName string) string {
	if key, ok := n[kind][realName]; ok {
		return key
	}
	return realName + " (external)"
}

// Difference is one leaf in which two forms differ. A nil value means that the
// side does not have the leaf.
type Difference struct {
	Path    Path `json:"path"`
	Desired any  `json:"desired"`
	Live    any  `json:"live"`
}
