package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"gopkg.in/yaml.v3"
)

// sprigFunctions are the functions of sprig that a template may use: those whose
// result follows from their arguments alone, and is the same in every run. So
// there is no environment, host, file, clock and random number, no cipher and
// key (they are random), and nothing whose result may be far larger than its
// arguments; those of the last kind that templates do need are in ownFunctions.
var sprigFunctions = strings.Fields(`
abbrev abbrevboth trunc trim upper lower title untitle substr trimall trimAll trimSuffix trimPrefix nospace initials
swapcase snakecase camelcase kebabcase contains hasPrefix hasSuffix quote squote cat plural toString
sha1sum sha256sum sha512sum adler32sum
atoi int64 int float64 toDecimal add1 add sub div mod mul add1f addf subf divf mulf biggest max min maxf minf ceil floor round
split splitList splitn toStrings sortAlpha
default empty coalesce all any compact mustCompact ternary deepCopy mustDeepCopy
fromJson toJson toPrettyJson toRawJson mustFromJson mustToJson mustToPrettyJson mustToRawJson
typeOf typeIs typeIsLike kindOf kindIs deepEqual
base dir clean ext isAbs
b64enc b64dec b32enc b32dec
tuple list dict get set unset hasKey pluck pick omit merge mergeOverwrite mustMerge mustMergeOverwrite
append push mustAppend mustPush prepend mustPrepend first mustFirst rest mustRest last mustLast initial mustInitial
reverse mustReverse uniq mustUniq without mustWithout has mustHas slice mustSlice concat dig chunk mustChunk
semver semverCompare fail
regexMatch mustRegexMatch regexFindAll mustRegexFindAll regexFind mustRegexFind regexSplit mustRegexSplit regexQuoteMeta
urlParse urlJoin`)

// ownFunctions replace functions of sprig and of text/template that are not the
// same in every run, or whose result may be far larger than their arguments, and
// add what templates of Compose files need.
var ownFunctions = template.FuncMap{
	"literal": literal, "required": required, "toYaml": toYAML,
	"keys": sortedKeysOf, "values": sortedValuesOf,
	"repeat": repeat, "indent": indent, "nindent": func(n int, s string) (string, error) { return nindent(n, s) },
	"replace": replaceAll, "join": joinTexts, "until": func(n int) ([]int, error) { return numbers(0, n, 1) }, "untilStep": numbers,
	"regexReplaceAll": regexReplace, "mustRegexReplaceAll": regexReplace,
	"regexReplaceAllLiteral": regexReplaceLiteral, "mustRegexReplaceAllLiteral": regexReplaceLiteral,
	"print": fmt.Sprint, "println": fmt.Sprintln, "printf": format,
	"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
}

// functions are all functions of a template, each guarded.
func (a *allowance) functions(out *lineWriter) template.FuncMap {
	guarded := template.FuncMap{}
	all := sprig.TxtFuncMap()
	for _, name := range sprigFunctions {
		guarded[name] = a.guard(all[name], effortOf(name))
	}
	for name, f := range ownFunctions {
		guarded[name] = a.guard(f, effortOf(name))
	}
	guarded[accountFunc], guarded[printFunc] = a.account(out), a.print
	return guarded
}

// maxPattern bounds a regular expression.
const maxPattern = 1000

// effortOf is what a function does beyond going through its arguments once.
func effortOf(name string) effort {
	switch name {
	case "uniq", "mustUniq": // compares each element with each other
		return func(args []reflect.Value) (int, error) {
			list := args[0]
			for list.Kind() == reflect.Interface {
				list = list.Elem()
			}
			if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
				return 0, nil
			}
			return list.Len() * list.Len(), nil
		}
	case "regexQuoteMeta":
		return nil
	}
	if !strings.Contains(strings.ToLower(name), "regex") {
		return nil
	}
	return func(args []reflect.Value) (int, error) {
		pattern, text := args[0].Len(), args[1].Len()
		if pattern > maxPattern {
			return 0, fmt.Errorf("a regular expression has at most %d bytes, and this one %d", maxPattern, pattern)
		}
		return pattern * text, nil
	}
}

// literal is a text as it is, wherever it is put in a Compose file: quoted for
// YAML, and with its dollar signs kept from interpolation.
func literal(v any) (string, error) {
	text, err := json.Marshal(fmt.Sprint(v))
	return strings.ReplaceAll(string(text), "$", "$$"), err
}

// required is a value that must neither be missing nor empty.
func required(message string, v any) (any, error) {
	if v == nil || v == "" {
		return nil, errors.New(message)
	}
	return v, nil
}

func toYAML(v any) (string, error) {
	text, err := yaml.Marshal(v)
	return strings.TrimSuffix(string(text), "\n"), err
}

// sortedKeysOf is sprig's keys with an order.
func sortedKeysOf(dicts ...map[string]any) []string {
	var keys []string
	for _, d := range dicts {
		keys = slices.AppendSeq(keys, maps.Keys(d))
	}
	slices.Sort(keys)
	return keys
}

// sortedValuesOf is sprig's values in the order of the keys.
func sortedValuesOf(dict map[string]any) []any {
	values := make([]any, 0, len(dict))
	for _, key := range sortedKeys(dict) {
		values = append(values, dict[key])
	}
	return values
}

// fits tells whether a result of so many bytes or elements may be made.
func fits(size int64) error {
	if size < 0 || size > maxTemplateValue {
		return errTemplateValue
	}
	return nil
}

func repeat(count int, s string) (string, error) {
	if count < 0 {
		return "", fmt.Errorf("repeat takes no negative count, and has %d", count)
	}
	if err := fits(int64(min(count, maxTemplateValue+1)) * int64(max(len(s), 1))); err != nil {
		return "", err
	}
	return strings.Repeat(s, count), nil
}

func indent(spaces int, s string) (string, error) {
	pad, err := repeat(spaces, " ")
	if err != nil {
		return "", err
	}
	padded, err := replaceAll("\n", "\n"+pad, s)
	return pad + padded, err
}

func nindent(spaces int, s string) (string, error) {
	indented, err := indent(spaces, s)
	return "\n" + indented, err
}

func replaceAll(old, replacement, s string) (string, error) {
	if err := fits(int64(len(s)) + int64(strings.Count(s, old))*int64(len(replacement))); err != nil {
		return "", err
	}
	return strings.ReplaceAll(s, old, replacement), nil
}

func joinTexts(separator string, v any) (string, error) {
	toStrings, ok := sprig.TxtFuncMap()["toStrings"].(func(any) []string)
	if !ok {
		return "", errors.New("join knows no texts")
	}
	list := toStrings(v)
	size := int64(len(separator)) * int64(len(list))
	for _, s := range list {
		size += int64(len(s))
	}
	if err := fits(size); err != nil {
		return "", err
	}
	return strings.Join(list, separator), nil
}

// numbers counts from start up or down to stop, without it.
func numbers(start, stop, step int) ([]int, error) {
	var list []int
	if step == 0 || stop != start && (stop > start) != (step > 0) {
		return list, nil
	}
	for i := start; (step > 0 && i < stop) || (step < 0 && i > stop); i += step {
		if err := fits(int64(len(list))); err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, nil
}

func regexReplace(pattern, s, replacement string) (string, error) {
	return replaceMatches(pattern, s, replacement, (*regexp.Regexp).ReplaceAllString)
}

func regexReplaceLiteral(pattern, s, replacement string) (string, error) {
	return replaceMatches(pattern, s, replacement, (*regexp.Regexp).ReplaceAllLiteralString)
}

func replaceMatches(pattern, s, replacement string, replace func(*regexp.Regexp, string, string) string) (string, error) {
	r, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	matches := int64(len(r.FindAllStringIndex(s, -1)))
	if err := fits(int64(len(s))*int64(1+strings.Count(replacement, "$")) + matches*int64(len(replacement))); err != nil {
		return "", err
	}
	return replace(r, s, replacement), nil
}

var formatWidth = regexp.MustCompile(`%[-+# 0-9.\[\]]*(\*|[0-9]{4})`)

func format(layout string, args ...any) (string, error) {
	if formatWidth.MatchString(layout) {
		return "", errors.New("printf takes no width above 999")
	}
	if err := fits(int64(strings.Count(layout, "%")) * 1000); err != nil {
		return "", err
	}
	return fmt.Sprintf(layout, args...), nil
}
