package object

import (
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/swarm"
)

// Form is the canonical form of an object: a tree of map[string]any, []any,
// string, bool, nil and numbers (int64, or float64 for what is no whole number).
// Two objects mean the same to Swarm exactly when their forms are equal. Fields
// that were not set, and fields set to what the engine would fill in, are absent.
//
// A nil leaf occurs below env alone: a bare KEY, which takes the variable away,
// is told from KEY= that way.
type Form map[string]any

// View is what the canonical form of an object depends on besides the object.
type View struct {
	// Names maps the real names of the release's own configs and secrets to
	// their logical keys.
	Names Names
	// Live is set when the form of an observed object is wanted. A Declared
	// counterpart implies it.
	Live bool
	// Declared is the counterpart that was declared, given when the form of a
	// live object is wanted and nil when there is no record of one. It settles
	// what cannot be told from the live side alone: whether a digest in an image
	// and the subnet of a network were asked for or filled in.
	Declared *Object
}

func (v View) live() bool { return v.Live || v.Declared != nil }

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
// a word that keeps the two apart. "(unresolved <id>)" stays what it is.
func (n Names) Show(kind Kind, realName string) string {
	if key, ok := n[kind][realName]; ok {
		return key
	}
	if strings.HasPrefix(realName, "(unresolved ") {
		return realName
	}
	return realName + " (external)"
}

// FormError says that an object has no canonical form.
type FormError struct {
	Ref Ref
	// Field is the part of the object at fault, empty for the object as a whole.
	Field string
	// Detail says what is wrong with it.
	Detail string
	Err    error
}

func (e *FormError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "canonical form of %s", e.Ref)
	if e.Field != "" {
		b.WriteString(", " + e.Field)
	}
	b.WriteString(": " + e.Detail)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *FormError) Unwrap() error { return e.Err }

// Form brings the object to its canonical form, by the same rules for what is
// declared and what is observed. It changes nothing of the object. The error is
// a *FormError.
func (o Object) Form(v View) (Form, error) {
	fields, err := o.fields(v)
	if err != nil {
		err.Ref = o.Ref()
		return nil, err
	}
	form, treeErr := toForm(fields)
	if treeErr != nil {
		return nil, &FormError{Ref: o.Ref(), Detail: "it holds a value that cannot be written as JSON", Err: treeErr}
	}
	return form, nil
}

// fields returns the typed canonical form of the object, whose JSON is the form.
func (o Object) fields(v View) (any, *FormError) {
	switch spec := o.Spec.(type) {
	case *swarm.ServiceSpec:
		if o.Kind == KindService && spec != nil {
			return serviceFields(spec, v)
		}
	case *NetworkSpec:
		if o.Kind == KindNetwork && spec != nil {
			return networkFields(spec, v), nil
		}
	case *swarm.ConfigSpec:
		if (o.Kind == KindConfig || o.Kind == KindRecord) && spec != nil {
			return configFields(spec), nil
		}
	case *swarm.SecretSpec:
		if o.Kind == KindSecret && spec != nil {
			return secretFields(spec, o.Fingerprint), nil
		}
	case *VolumeSpec:
		if o.Kind == KindVolume && spec != nil {
			return volumeFields(spec), nil
		}
	}
	return nil, &FormError{Detail: fmt.Sprintf("a %s cannot be described by a %T", o.Kind, o.Spec)}
}
