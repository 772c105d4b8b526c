package api

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Fold is text as searches compare it: without case and accents, with one space between words.
func Fold(parts ...string) string {
	folded := strings.Join(parts, " ")
	if !isASCII(folded) {
		strip := transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
		if stripped, _, err := transform.String(strip, folded); err == nil {
			folded = stripped
		}
	}
	return strings.Join(strings.Fields(strings.ToLower(folded)), " ")
}

// isASCII says that a text has no accents: it need not be taken apart, which costs more than all the rest.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
