package notice

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

var inBraces = regexp.MustCompile(`\{[^}]*\}`)

// placeholders are those of some texts, sorted.
func placeholders(texts ...string) []string {
	found := map[string]bool{}
	for _, text := range texts {
		for _, b := range inBraces.FindAllString(text, -1) {
			found[b] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func TestCatalogues_EveryLanguage_HasTheSameTextsAndPlaceholders(t *testing.T) {
	t.Parallel()
	english := catalogues["en"]
	if got, want := slices.Sorted(maps.Keys(catalogues)), []string{"ar", "en", "hi", "sw"}; !slices.Equal(got, want) || len(english.Notices) == 0 {
		t.Fatalf("the languages are %v, want %v", got, want)
	}
	for lang, texts := range catalogues {
		for _, names := range [][2][]string{
			{slices.Sorted(maps.Keys(english.Notices)), slices.Sorted(maps.Keys(texts.Notices))},
			{slices.Sorted(maps.Keys(english.Phrases)), slices.Sorted(maps.Keys(texts.Phrases))},
		} {
			if !slices.Equal(names[0], names[1]) {
				t.Errorf("%s has %v, English has %v", lang, names[1], names[0])
			}
		}
		for name, words := range texts.Notices {
			is, should := words, english.Notices[name]
			if (is.Title == "") != (should.Title == "") || (is.Body == "") != (should.Body == "") || (is.Teaser == "") != (should.Teaser == "") {
				t.Errorf("%s: %s says %+v where English says %+v", lang, name, is, should)
			}
			for what, pair := range map[string][2]string{"title": {is.Title, should.Title}, "body": {is.Body, should.Body},
				"teaser": {is.Teaser, should.Teaser}} {
				if !slices.Equal(placeholders(pair[0]), placeholders(pair[1])) {
					t.Errorf("%s: the %s of %s fills in %v, English %v", lang, what, name, placeholders(pair[0]), placeholders(pair[1]))
				}
			}
			if lang != "en" && is.Title != "" && is.Title == should.Title {
				t.Errorf("%s: %s is not translated", lang, name)
			}
		}
		for name, words := range texts.Phrases {
			if !slices.Equal(placeholders(words), placeholders(english.Phrases[name])) {
				t.Errorf("%s: %s fills in %v, English %v", lang, name, placeholders(words), placeholders(english.Phrases[name]))
			}
		}
	}
}

// A notice with a text in Go would be English everywhere.
func TestModules_Notices_TakeTheirTextsFromTheCatalogue(t *testing.T) {
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
			// A name that is a constant must be in the catalogue; one that is put together has tests of its own.
			if name, ok := given["Name"].(*ast.BasicLit); ok {
				word := strings.Trim(name.Value, `"`)
				_, notice := catalogues["en"].Notices[word]
				_, phrase := catalogues["en"].Phrases[word]
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

func TestTranslate_UnknownLanguage_IsEnglish(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"hi-IN": "Asha की 2026-11-17 को बस यात्रा (स्कूल की ओर) रद्द है। Flood",
		"hi":    "Asha की 2026-11-17 को बस यात्रा (स्कूल की ओर) रद्द है। Flood",
		"en-IN": "The pickup trip of Asha on 2026-11-17 is cancelled. Flood",
		"ta_IN": "The pickup trip of Asha on 2026-11-17 is cancelled. Flood",
		"":      "The pickup trip of Asha on 2026-11-17 is cancelled. Flood",
	} {
		values := Values{"child": "Asha", "way": Text{Name: "way.pickup"}, "date": On{Year: 2026, Month: 11, Day: 17}, "reason": "Flood"}
		n := Notice{Text: Text{Name: "transport.cancelled", Values: values}}
		if err := n.Translate(locale); err != nil || n.Body != want {
			t.Errorf("%s: %q %v", locale, n.Body, err)
		}
	}
	n := Notice{Body: "in the sender's own words", Text: Text{Name: "message.new", Values: Values{"sender": "{child}"}}}
	if err := n.Translate("en"); err != nil || n.Title != "Message from {child}" || n.Body != "in the sender's own words" {
		t.Errorf("%+v %v", n, err)
	}
	n = Notice{Text: Text{Name: "transport.cancelled"}}
	if err := n.Translate("en"); err == nil {
		t.Error("a placeholder without a value is no error")
	}
}

func TestTranslate_LatinValuesInArabic_AreIsolated(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		text Text
		want string
	}{
		{Text{"transport.boarded", Values{"child": "Asha", "time": "08:30"}}, "\u2068Asha\u2069 في الحافلة (08:30)."},
		{Text{"transport.boarded", Values{"child": "آشا", "time": "08:30"}}, "آشا في الحافلة (08:30)."},
		{Text{"fee.fined", Values{"child": "آشا", "amount": "₹ 250.00", "reason": "تأخر"}}, "غرامة قدرها \u2068₹ 250.00\u2069 على آشا: تأخر."},
		{Text{"attendance.late", Values{"child": "آشا", "date": On{Year: 2026, Month: 11, Day: 17}}}, "تأخر آشا في \u20682026-11-17\u2069."},
	} {
		n := Notice{Text: of.text}
		if err := n.Translate("ar"); err != nil || n.Body != of.want {
			t.Errorf("%s: %q %v, want %q", of.text.Name, n.Body, err, of.want)
		}
	}
}

// Who reads a locked screen is to know at a glance whether to act.
func TestAttendance_OnALockedScreen_SaysWhatItIs(t *testing.T) {
	t.Parallel()
	for lang, texts := range catalogues {
		said := map[string]string{}
		for _, name := range []string{"attendance.absent", "attendance.late", "attendance.present"} {
			for _, text := range []string{texts.Notices[name].Title, texts.Notices[name].Teaser} {
				if other := said[text]; other != "" {
					t.Errorf("%s: %s and %s both show %q", lang, other, name, text)
				}
				said[text] = name
			}
		}
	}
}

// Anybody can read a locked screen: it may say what happened, or to whom, and not both.
func TestTitlesAndTeasers_NameNobodyButTheSender(t *testing.T) {
	t.Parallel()
	for lang, texts := range catalogues {
		for name, words := range texts.Notices {
			for _, p := range placeholders(words.Title, words.Teaser) {
				if p != "{sender}" {
					t.Errorf("%s: a push of %s shows %s", lang, name, p)
				}
			}
		}
	}
}
