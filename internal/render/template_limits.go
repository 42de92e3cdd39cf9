package render

import (
	"errors"
	"fmt"
	"reflect"
)

// Limits of one run of a template. Work is counted in units of about a byte
// handled; a node costs nodeWork beyond its own length. Real templates of
// hundreds of services stay two orders of magnitude below.
const (
	maxTemplateWork  = 32 << 20
	nodeWork         = 128
	templateCallWork = 2048
	// maxTemplateValue bounds any single value, with all that it holds, in bytes
	// and elements.
	maxTemplateValue = 256 << 10
	maxTemplateDepth = 100
)

// The functions that executeTemplate puts into a template.
const (
	accountFunc = "_account"
	printFunc   = "_print"
)

var (
	errTemplateWork  = errors.New("it does too much: a loop or a recursion does not end, or the values in it grow without bound")
	errTemplateValue = fmt.Errorf("a value grows beyond %d KiB, or is nested deeper than %d levels", maxTemplateValue>>10, maxTemplateDepth)
	errNoValue       = errors.New("there is no value to print: give it a default, or quote it if it is to be empty")
)

// allowance is what is left of the work that a run may do.
type allowance struct{ left int }

func (a *allowance) spend(work int) error {
	if a.left -= work; a.left < 0 {
		return errTemplateWork
	}
	return nil
}

// account pays for a node, and tells the writer where the template stands.
func (a *allowance) account(out *lineWriter) func(line, inText, work int) (string, error) {
	return func(line, inText, work int) (string, error) {
		out.line, out.inText = line, inText == 1
		return "", a.spend(nodeWork + work)
	}
}

// print lets pass what can be printed. text/template prints "<no value>" for
// nothing, and all of a value before any of it is written.
func (a *allowance) print(v any) (any, error) {
	if v == nil {
		return nil, errNoValue
	}
	return v, a.weigh(reflect.ValueOf(v))
}

// weigh pays for a value, and refuses one that is too large.
func (a *allowance) weigh(v reflect.Value) error {
	size := sizeOf(v, maxTemplateValue, maxTemplateDepth)
	if size > maxTemplateValue {
		return errTemplateValue
	}
	return a.spend(size)
}

// sizeOf is the size of a value with everything in it counted as often as it is
// reached, or more than most as soon as it is larger or nested too deep: a
// mapping can be put into itself.
func sizeOf(v reflect.Value, most, depth int) int {
	if depth < 0 {
		return most + 1
	}
	size := 1
	add := func(v reflect.Value) bool {
		size += sizeOf(v, most-size, depth-1)
		return size <= most
	}
	switch v.Kind() {
	case reflect.String:
		return size + v.Len()
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			return sizeOf(v.Elem(), most, depth-1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !add(v.Index(i)) {
				break
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !add(it.Key()) || !add(it.Value()) {
				break
			}
		}
	}
	return size
}

// effort is the work of a function by its arguments, where it grows faster than
// they do, or why it takes none such.
type effort func(args []reflect.Value) (int, error)

// guard wraps a function: its arguments, its effort and its result are paid for,
// and a result that is too large is refused.
func (a *allowance) guard(function any, more effort) any {
	f := reflect.ValueOf(function)
	t := f.Type()
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
	}
	failure := reflect.TypeFor[error]()
	guarded := reflect.FuncOf(in, []reflect.Type{t.Out(0), failure}, t.IsVariadic())
	return reflect.MakeFunc(guarded, func(args []reflect.Value) []reflect.Value {
		fail := func(err error) []reflect.Value {
			return []reflect.Value{reflect.Zero(t.Out(0)), reflect.ValueOf(&err).Elem()}
		}
		for _, arg := range args {
			if err := a.weigh(arg); err != nil {
				return fail(err)
			}
		}
		if more != nil {
			work, err := more(args)
			if err == nil {
				err = a.spend(work)
			}
			if err != nil {
				return fail(err)
			}
		}
		var results []reflect.Value
		if t.IsVariadic() {
			results = f.CallSlice(args)
		} else {
			results = f.Call(args)
		}
		if len(results) == 2 && !results[1].IsNil() {
			return []reflect.Value{reflect.Zero(t.Out(0)), results[1]}
		}
		if err := a.weigh(results[0]); err != nil {
			return fail(err)
		}
		return []reflect.Value{results[0], reflect.Zero(failure)}
	}).Interface()
}
