package render

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"
)

// castScalar brings a scalar into the type docker/cli's schema asks for. It
// returns nil for a value that is of another type altogether.
func castScalar(n *node, kind scalarKind) (any, error) {
	s, isText := n.value.(string)
	switch kind {
	case textScalar:
		return n.text(), nil
	case valueScalar:
		if b, ok := n.value.(bool); ok {
			return strconv.FormatBool(b), nil
		}
		return n.value, nil
	case intScalar:
		return castInt(n.value)
	case octalScalar:
		if isText {
			v, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(s), "0o"), 8, 32)
			return orError(int(v), err)
		}
		return castInt(n.value)
	case numberScalar:
		if isText {
			v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			return orError(v, err)
		}
		if _, ok := n.value.(bool); ok {
			return nil, nil
		}
		return n.value, nil
	case boolScalar:
		return castBool(n.value)
	case durationScalar:
		if v, ok := n.value.(int); ok && v == 0 {
			return "0s", nil
		}
		if !isText {
			return nil, fmt.Errorf("the unit is missing, write %ss", n.raw)
		}
		if _, err := time.ParseDuration(s); err != nil {
			return nil, errorWithoutValue(err)
		}
		return s, nil
	case memoryScalar:
		v, err := castBytes(n)
		if v == nil || err != nil {
			return nil, err
		}
		return n.text(), nil
	case bytesScalar:
		return castBytes(n)
	}
	return nil, nil
}

func castInt(value any) (any, error) {
	switch v := value.(type) {
	case int:
		return v, nil
	case string:
		i, err := strconv.Atoi(strings.TrimSpace(v))
		return orError(i, err)
	case float64:
		if v == float64(int(v)) {
			return int(v), nil
		}
		return nil, fmt.Errorf("it has a fraction")
	}
	return nil, nil
}

// castBool reads the words of https://yaml.org/type/bool.html, as docker/cli does
// for interpolated values.
func castBool(value any) (any, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "y", "yes", "true", "on":
			return true, nil
		case "n", "no", "false", "off":
			return false, nil
		}
		return nil, fmt.Errorf("write true or false")
	}
	return nil, nil
}

func castBytes(n *node) (any, error) {
	switch v := n.value.(type) {
	case int:
		return v, nil
	case string:
		b, err := units.RAMInBytes(v)
		if err != nil {
			return nil, fmt.Errorf("it is not understood")
		}
		return int(b), nil
	case float64:
		if v == float64(int(v)) {
			return int(v), nil
		}
	}
	return nil, nil
}

func orError(v any, err error) (any, error) {
	if err != nil {
		return nil, errorWithoutValue(err)
	}
	return v, nil
}

// errorWithoutValue leaves out the value that errors of the standard library
// repeat; the message quotes it as written.
func errorWithoutValue(err error) error {
	var n *strconv.NumError
	if errors.As(err, &n) {
		return n.Err
	}
	return fmt.Errorf("it is not understood")
}

// nearest is the known key that a misspelt one probably means, or "".
func nearest(key string, known map[string]*shape) string {
	best, distance := "", len(key)/3+1
	for _, name := range sortedKeys(known) {
		if d := editDistance(key, name); d < distance {
			best, distance = name, d
		}
	}
	return best
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
