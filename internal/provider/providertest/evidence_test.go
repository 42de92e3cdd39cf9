package providertest

import (
	"encoding/base64"
	"testing"
)

func TestBase64WithinFindsValuesAtEveryOffset(t *testing.T) {
	const value = "v1234567890abcdef"
	for _, before := range []string{"", "a", "ab", "abc", "abcd"} {
		p := Places{"x": base64.StdEncoding.EncodeToString([]byte(before + value + "tail"))}
		if len(p.Having(value)) != 1 {
			t.Errorf("not found behind %q", before)
		}
		if found := p.Having("another1234567890"); len(found) != 0 {
			t.Errorf("found what is not there: %v", found)
		}
	}
}
