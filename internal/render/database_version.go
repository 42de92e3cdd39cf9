package render

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/distribution/reference"
)

// engineVersion are the numbers at the beginning of an image's tag, outermost
// first: 17.2-alpine is 17, 2.
type engineVersion []int

var versionTag = regexp.MustCompile(`^([0-9]{1,6}(?:\.[0-9]{1,6})*)(?:[A-Za-z_-][A-Za-z0-9._-]*)?$`)

// parseVersion reads the version out of a tag; nil when it begins with none.
func parseVersion(tag string) engineVersion {
	found := versionTag.FindStringSubmatch(tag)
	if found == nil {
		return nil
	}
	var v engineVersion
	for number := range strings.SplitSeq(found[1], ".") {
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil
		}
		v = append(v, n)
	}
	return v
}

// imageVersion is the version that the tag of an image begins with; nil when there
// is no tag, or one of another form.
func imageVersion(image string) engineVersion {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return nil
	}
	tagged, ok := named.(reference.Tagged)
	if !ok {
		return nil
	}
	return parseVersion(tagged.Tag())
}

// line is the part of a version within which data stays readable: its first
// numbers.
func (v engineVersion) line(numbers int) string {
	if len(v) < numbers {
		return ""
	}
	return v[:numbers].String()
}

func (v engineVersion) String() string {
	parts := make([]string, len(v))
	for i, n := range v {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ".")
}

// compare orders two versions by the numbers that both have: 17 is not older than
// 17.2, because its tag moves on.
func (v engineVersion) compare(other engineVersion) int {
	for i := range min(len(v), len(other)) {
		if v[i] != other[i] {
			return v[i] - other[i]
		}
	}
	return 0
}
