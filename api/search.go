package api

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Fold is text as searches compare it: without case and accents, with one space between words.
func Fold(parts ...string) string {
	strip := transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
	folded, _, err := transform.String(strip, strings.Join(parts, " "))
	if err != nil {
		folded = strings.Join(parts, " ")
	}
	return strings.Join(strings.Fields(strings.ToLower(folded)), " ")
}
