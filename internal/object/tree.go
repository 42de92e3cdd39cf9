package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// JSON returns the canonical JSON of the form: sorted keys, no white space, no
// escaping of HTML. Equal forms have equal JSON.
func (f Form) JSON() string {
	text, err := marshal(map[string]any(f))
	if err != nil {
		// A form is built from JSON, so that this takes one put together by hand.
		panic(fmt.Sprintf("object: a form that is no JSON tree: %v", err))
	}
	return string(text)
}

// Equal tells whether two forms mean the same to Swarm.
func (f Form) Equal(g Form) bool { return f.JSON() == g.JSON() }

// ParseForm is the inverse of Form.JSON.
func ParseForm(text string) (Form, error) {
	var tree any
	if err := unmarshal([]byte(text), &tree); err != nil {
		return nil, fmt.Errorf("parse a canonical form: %w", err)
	}
	m, ok := numbers(tree).(map[string]any)
	if !ok {
		return nil, errors.New("parse a canonical form: it is no JSON object")
	}
	return Form(m), nil
}

// toForm turns typed fields into the tree that their JSON describes.
func toForm(fields any) (Form, error) {
	text, err := marshal(fields)
	if err != nil {
		return nil, err
	}
	return ParseForm(string(text))
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// unmarshal reads exactly one JSON value and keeps numbers as they are written.
func unmarshal(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more text follows the JSON value")
	}
	return nil
}

// numbers replaces every json.Number below v by an int64, a uint64 beyond that,
// or a float64.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = numbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbers(e)
		}
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return n
		}
		n, err := v.Float64()
		switch {
		case err != nil:
			return v.String()
		case n == math.Trunc(n) && math.Abs(n) < 1<<53:
			return int64(n) // 1.0 is 1
		}
		return n
	}
	return v
}

// copyTree returns a tree that shares no map or list with v.
func copyTree(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = copyTree(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = copyTree(e)
		}
		return l
	}
	return v
}
