package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var braces = regexp.MustCompile(`\{[^}]*\}`)

// blanks are what is filled in in a text, in order of the alphabet.
func blanks(texts ...string) []string {
	found := map[string]bool{}
	for _, text := range texts {
		for _, b := range braces.FindAllString(text, -1) {
			found[b] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func TestEveryNoticeIsWrittenInEveryLanguageWithTheSameBlanks(t *testing.T) {
	t.Parallel()
	english := wordsOf["en"]
	if len(wordsOf) < 2 || len(english.Notices) == 0 {
		t.Fatalf("there are %d languages", len(wordsOf))
	}
	for lang, book := range wordsOf {
		for _, names := range [][2][]string{
			{slices.Sorted(maps.Keys(english.Notices)), slices.Sorted(maps.Keys(book.Notices))},
			{slices.Sorted(maps.Keys(english.Phrases)), slices.Sorted(maps.Keys(book.Phrases))},
		} {
			if !slices.Equal(names[0], names[1]) {
				t.Errorf("%s has %v, English has %v", lang, names[1], names[0])
			}
		}
		for name, words := range book.Notices {
			is, should := words, english.Notices[name]
			if (is.Title == "") != (should.Title == "") || (is.Body == "") != (should.Body == "") || (is.Teaser == "") != (should.Teaser == "") {
				t.Errorf("%s: %s says %+v where English says %+v", lang, name, is, should)
			}
			for what, pair := range map[string][2]string{"title": {is.Title, should.Title}, "body": {is.Body, should.Body}, "teaser": {is.Teaser, should.Teaser}} {
				if !slices.Equal(blanks(pair[0]), blanks(pair[1])) {
					t.Errorf("%s: the %s of %s fills in %v, English %v", lang, what, name, blanks(pair[0]), blanks(pair[1]))
				}
			}
			if lang != "en" && is.Title != "" && is.Title == should.Title {
				t.Errorf("%s: %s is not translated", lang, name)
			}
		}
		for name, words := range book.Phrases {
			if !slices.Equal(blanks(words), blanks(english.Phrases[name])) {
				t.Errorf("%s: %s fills in %v, English %v", lang, name, blanks(words), blanks(english.Phrases[name]))
			}
		}
	}
}

// A notice that says its words itself would be told in English everywhere.
func TestNoModuleTellsPeopleThingsInWordsOfItsOwn(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	err := filepath.WalkDir("../modules", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			kind, ok := literal.Type.(*ast.SelectorExpr)
			if !ok || (kind.Sel.Name != "Notice" && kind.Sel.Name != "Text") || len(literal.Elts) == 0 {
				return true
			}
			given := map[string]ast.Expr{}
			for _, e := range literal.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					given[kv.Key.(*ast.Ident).Name] = kv.Value
				}
			}
			where := files.Position(literal.Pos())
			if kind.Sel.Name == "Notice" {
				if given["Text"] == nil {
					t.Errorf("%s: a notice without a Text", where)
				}
				return true
			}
			// A name that is written out must be in the book; one that is put together has its tests.
			if name, ok := given["Name"].(*ast.BasicLit); ok {
				word := strings.Trim(name.Value, `"`)
				_, notice := wordsOf["en"].Notices[word]
				_, phrase := wordsOf["en"].Phrases[word]
				if !notice && !phrase {
					t.Errorf("%s: nothing is called %q", where, word)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestANoticeIsSaidInTheSchoolsLanguageAndElseInEnglish(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"hi-IN": "Asha की आज की बस यात्रा (स्कूल आना) रद्द है। Flood", "hi": "Asha की आज की बस यात्रा (स्कूल आना) रद्द है। Flood",
		"en-IN": "Today's pickup trip of Asha is cancelled. Flood", "ta_IN": "Today's pickup trip of Asha is cancelled. Flood", "": "Today's pickup trip of Asha is cancelled. Flood",
	} {
		n := Notice{Text: Text{Name: "transport.cancelled", Values: Values{"child": "Asha", "way": Text{Name: "way.pickup"}, "reason": "Flood"}}}
		if err := n.In(locale); err != nil || n.Body != want {
			t.Errorf("%s: %q %v", locale, n.Body, err)
		}
	}
	n := Notice{Body: "in the teller's own words", Text: Text{Name: "message.new", Values: Values{"sender": "{child}"}}}
	if err := n.In("en"); err != nil || n.Title != "Message from {child}" || n.Body != "in the teller's own words" {
		t.Errorf("%+v %v", n, err)
	}
	n = Notice{Text: Text{Name: "transport.cancelled"}}
	if err := n.In("en"); err == nil {
		t.Error("a blank stayed empty and nobody noticed")
	}
}

// On a locked screen anybody reads: it may say what happened, or to whom, and not both.
func TestTitlesAndTeasers_NameNobodyButTheSender(t *testing.T) {
	t.Parallel()
	for lang, book := range wordsOf {
		for name, words := range book.Notices {
			for _, blank := range blanks(words.Title, words.Teaser) {
				if blank != "{sender}" {
					t.Errorf("%s: a push of %s shows %s", lang, name, blank)
				}
			}
		}
	}
}
