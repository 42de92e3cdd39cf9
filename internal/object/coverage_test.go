package object

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
)

// TestEveryFieldIsComparedOrExcused sets each field of the engine's types, one
// at a time, and looks whether the canonical form sees it. A field that it does
// not see has to be named here with the reason; a new field of the API fails
// this test until somebody decides about it.
func TestEveryFieldIsComparedOrExcused(t *testing.T) {
	const (
		identity = "identity: the object's name"
		ids      = "ids are not compared, names are"
		dropped  = "the engine drops it"
		runtime  = "not comparable, and the leaf runtime says so"
	)
	types := []struct {
		kind    Kind
		base    func() any
		excused map[string]string
	}{
		{KindService, func() any { return spec() }, map[string]string{
			"Annotations.Name":                                                       identity,
			"TaskTemplate.ForceUpdate":                                               "a counter that is carried forward",
			"TaskTemplate.Placement.Platforms[].Architecture":                        "derived from the image by the client",
			"TaskTemplate.Placement.Platforms[].OS":                                  "derived from the image by the client",
			"TaskTemplate.ContainerSpec.Secrets[].SecretID":                          ids,
			"TaskTemplate.ContainerSpec.Configs[].ConfigID":                          ids,
			"TaskTemplate.ContainerSpec.Mounts[].Consistency":                        dropped,
			"TaskTemplate.ContainerSpec.Mounts[].ClusterOptions":                     dropped,
			"TaskTemplate.ContainerSpec.Mounts[].BindOptions.CreateMountpoint":       dropped,
			"TaskTemplate.ContainerSpec.Mounts[].BindOptions.ReadOnlyNonRecursive":   dropped,
			"TaskTemplate.ContainerSpec.Mounts[].BindOptions.ReadOnlyForceRecursive": dropped,
			"TaskTemplate.PluginSpec.Name":                                           runtime,
			"TaskTemplate.PluginSpec.Remote":                                         runtime,
			"TaskTemplate.PluginSpec.Privileges[].Name":                              runtime,
			"TaskTemplate.PluginSpec.Privileges[].Description":                       runtime,
			"TaskTemplate.PluginSpec.Privileges[].Value[]":                           runtime,
			"TaskTemplate.PluginSpec.Disabled":                                       runtime,
			"TaskTemplate.PluginSpec.Env[]":                                          runtime,
			"TaskTemplate.NetworkAttachmentSpec.ContainerID":                         runtime,
		}},
		{KindNetwork, func() any { return &NetworkSpec{} }, map[string]string{
			"Name":                                identity,
			"Options.EnableIPv4":                  "a swarm network has IPv4 always",
			"Options.IPAM.Config[].AuxAddress[k]": dropped,
		}},
		{KindConfig, func() any { return &swarm.ConfigSpec{} }, map[string]string{
			"Annotations.Name": identity,
		}},
		{KindSecret, func() any { return &swarm.SecretSpec{} }, map[string]string{
			"Annotations.Name": identity,
			"Data":             "shown by the object's fingerprint, never read from the engine",
		}},
		{KindVolume, func() any { return &VolumeSpec{} }, map[string]string{}},
	}
	for _, typ := range types {
		t.Run(string(typ.kind), func(t *testing.T) {
			fields := fieldsOf(reflect.TypeOf(typ.base()).Elem(), nil)
			for _, f := range fields {
				before, after := typ.base(), typ.base()
				f.reach(before)
				f.reach(after)(f.value(t))
				seen := !mustForm(t, Object{Kind: typ.kind, Key: "x", Spec: before}, View{}).
					Equal(mustForm(t, Object{Kind: typ.kind, Key: "x", Spec: after}, View{}))
				switch reason, excused := typ.excused[f.String()]; {
				case seen && excused:
					t.Errorf("%s is compared, and excused with %q", f, reason)
				case !seen && !excused:
					t.Errorf("%s is neither compared nor excused", f)
				}
			}
			for name := range typ.excused {
				if !slices.ContainsFunc(fields, func(f field) bool { return f.String() == name }) {
					t.Errorf("%s is excused and no field", name)
				}
			}
			t.Logf("%d fields, %d excused", len(fields), len(typ.excused))
		})
	}
}

// field is a leaf of an API type and the way to it: the names of struct fields,
// [] for an element and [k] for a value of a map.
type field struct {
	path []string
	typ  reflect.Type
}

func (f field) String() string {
	return strings.ReplaceAll(strings.Join(f.path, "."), ".[", "[")
}

// fieldsOf lists the leaves of a type: scalars, bytes, and structs without
// fields, whose presence is what they say.
func fieldsOf(t reflect.Type, at []string) []field {
	below := func(segment string, t reflect.Type) []field { return fieldsOf(t, append(slices.Clip(at), segment)) }
	switch {
	case t.Kind() == reflect.Pointer:
		return fieldsOf(t.Elem(), at)
	case t.Kind() == reflect.Struct && t.NumField() > 0:
		var list []field
		for i := range t.NumField() {
			list = append(list, below(t.Field(i).Name, t.Field(i).Type)...)
		}
		return list
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return below("[]", t.Elem())
	case t.Kind() == reflect.Map:
		return below("[k]", t.Elem())
	}
	return []field{{path: at, typ: t}}
}

// reach makes everything above the leaf exist and returns how to set the leaf.
func (f field) reach(root any) func(reflect.Value) {
	if s, ok := root.(*swarm.ServiceSpec); ok {
		f.prepare(s)
	}
	v := reflect.ValueOf(root)
	for i, segment := range f.path {
		v = existing(v)
		switch {
		case segment == "[k]":
			return func(value reflect.Value) {
				v.Set(reflect.MakeMap(v.Type()))
				v.SetMapIndex(reflect.ValueOf("k"), value)
			}
		case segment == "[]" && i == len(f.path)-1:
			return func(value reflect.Value) { v.Set(reflect.Append(v, value)) }
		case segment == "[]":
			if v.Len() == 0 {
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			}
			v = v.Index(0)
		default:
			v = v.FieldByName(segment)
		}
	}
	return func(value reflect.Value) { existing(v).Set(value) }
}

// existing follows pointers, and makes them point to something.
func existing(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// prepare gives references the file without which they do not count.
func (f field) prepare(s *swarm.ServiceSpec) {
	c := s.TaskTemplate.ContainerSpec
	switch name := f.String(); {
	case strings.Contains(name, ".Secrets[]"):
		c.Secrets = []*swarm.SecretReference{{File: &swarm.SecretReferenceFileTarget{}}}
	case strings.Contains(name, ".Configs[]") && !strings.Contains(name, ".Runtime"):
		c.Configs = []*swarm.ConfigReference{{File: &swarm.ConfigReferenceFileTarget{}}}
	}
}

// value is neither zero nor a default.
func (f field) value(t *testing.T) reflect.Value {
	t.Helper()
	v := reflect.New(f.typ).Elem()
	switch f.typ.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(7)
	case reflect.Float32:
		v.SetFloat(0.5)
	case reflect.String:
		v.SetString("process") // the one text that is a value of every enumeration here that closes its set
	case reflect.Slice:
		v.SetBytes([]byte("x"))
	case reflect.Struct:
	default:
		t.Fatalf("%s is a %s, which this test cannot set", f, f.typ)
	}
	return v
}
