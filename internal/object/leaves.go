package object

import "strings"

// Strings returns the string leaves at or below a path, in order.
func (f Form) Strings(p Path) []string {
	prefix := strings.Join(p, "\x00")
	var out []string
	walk(f, func(at Path, leaf any) {
		joined := strings.Join(at, "\x00")
		if s, ok := leaf.(string); ok && (joined == prefix || strings.HasPrefix(joined, prefix+"\x00")) {
			out = append(out, s)
		}
	})
	return out
}
