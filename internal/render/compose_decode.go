package render

import (
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText brings a Compose text to UTF-8: files come with byte order marks,
// in UTF-16, and with CRLF line ends.
func decodeText(s string) (string, error) {
	switch {
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		s = s[3:]
	case strings.HasPrefix(s, "\xff\xfe"), strings.HasPrefix(s, "\xfe\xff"):
		if len(s)%2 != 0 {
			return "", errors.New("the text starts like UTF-16 but has an odd number of bytes")
		}
		low, high := 0, 1
		if s[0] == '\xfe' {
			low, high = 1, 0
		}
		units := make([]uint16, 0, len(s)/2)
		for i := 2; i < len(s); i += 2 {
			units = append(units, uint16(s[i+low])|uint16(s[i+high])<<8)
		}
		s = string(utf16.Decode(units))
	}
	if !utf8.ValidString(s) {
		return "", errors.New("the text is neither UTF-8 nor UTF-16 with a byte order mark")
	}
	return strings.ReplaceAll(s, "\r\n", "\n"), nil
}
