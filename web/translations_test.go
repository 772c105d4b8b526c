package web_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// replacedWords are words of each language that stood for a term whose word is another, in the table of README.md.
var replacedWords = map[string][]string{
	"hi": {"चालक", "चालकों", "मार्ग", "अनुभाग", "पाठ", "पाठों", "पुस्तक", "पुस्तकें", "पुस्तकों", "कक्षा अध्यापक", "प्रतिस्थापन",
		"स्थानापन्न", "समय-सारणी", "समय-सूची", "समाशोधन", "अदत्त", "अनुस्मारक", "प्रशासक", "छात्र", "एसएमएस", "पिन", "व्हाट्सऐप"},
	"ar": {"بطاقة التقرير", "بطاقات التقرير", "شهادة المغادرة", "المسار", "المسارات", "المحطة", "المحطات", "الرقم السري",
		"العام الدراسي", "الدرس", "الدروس", "التنبيهات", "إلى المكتب", "في المكتب"},
	"sw": {"namba", "Namba", "tengua", "Tengua", "kutengua", "neema", "uingizaji", "Vichwa vya ada"},
}

// searchWords are keys of the console whose texts are words to find a page by.
var searchWords = regexp.MustCompile(`^[a-z][a-z-]*( [a-z-]+){2,}$`)

// TestTranslations_SchoolTerms_AreTheTablesWords: one term has one word in the console, the app, the notices and the refusals.
func TestTranslations_SchoolTerms_AreTheTablesWords(t *testing.T) {
	t.Parallel()
	for language, replaced := range replacedWords {
		for _, of := range []string{"src/messages", "src/messages/console", "../notice/texts", "../api/refusals"} {
			path := of + "/" + language + ".json"
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var catalogue map[string]any
			if err := json.Unmarshal(source, &catalogue); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var check func(key string, of any)
			check = func(key string, of any) {
				switch of := of.(type) {
				case string:
					for _, word := range replaced {
						if hasWord(of, word) && !searchWords.MatchString(key) {
							t.Errorf("%s: %q says %q: the table of README.md has another word for it", path, key, word)
						}
					}
				case map[string]any:
					for inner, part := range of {
						check(inner, part)
					}
				}
			}
			check("", catalogue)
		}
	}
}

// hasWord is whether a text has a word as a whole: पुस्तक is in पुस्तकालय, which is another.
func hasWord(text, word string) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }
	for {
		before, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !inWord(last) && !inWord(next) {
			return true
		}
		text = after
	}
}
