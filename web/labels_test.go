package web_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeroom/api"
)

var formField = regexp.MustCompile(`k: '(\w+)',\s*label: t\((?:'([^']+)'|"([^"]+)")`)

// TestForms_AFieldsRefusal_HasItsLabelOnScreen: what the API calls a field is its label on the page, or what the console knows
// to replace by it (named in patterns/words.ts): the words of its wire name.
func TestForms_AFieldsRefusal_HasItsLabelOnScreen(t *testing.T) {
	t.Parallel()
	fields := 0
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".tsx") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range formField.FindAllStringSubmatch(string(source), -1) {
			fields++
			name, label := m[1], m[2]+m[3]
			if said := api.Label(name); said != label && said != plainWords(name) {
				t.Errorf("%s calls %s %q, and its refusal %q: make them one", path, name, label, said)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if fields < 30 {
		t.Errorf("%d fields of forms were found: the pattern no longer fits", fields)
	}
}

// plainWords is fieldLabel of patterns/words.ts.
func plainWords(name string) string {
	if thing := strings.TrimPrefix(name, "is"); thing != name && thing != "" && thing[0] < 'a' {
		name = strings.ToLower(thing[:1]) + thing[1:]
	}
	if name != "firstName" && name != "lastName" {
		name = strings.TrimSuffix(name, "Name")
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "Ids"), "Id")
	words := strings.ToLower(regexp.MustCompile(`[A-Z]`).ReplaceAllString(name, " $0"))
	return strings.ToUpper(words[:1]) + words[1:]
}

// TestPages_NonePrintsItself: papers are made by the service, with the school's head, in every script; a page that printed itself
// would be a second one.
func TestPages_NonePrintsItself(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := os.ReadFile(path)
		if printsItself.Match(source) {
			t.Errorf("%s prints itself: give its read row a paper beside it, and open that with Print", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var printsItself = regexp.MustCompile(`\b(window|self|globalThis|contentWindow)\??\.print\b`)

var ownDates = regexp.MustCompile(`(?:DateTimeFormat|NumberFormat)\((?:\)\.format|undefined|school\?)|\.toLocale(?:Date|Time)?String\(`)

var translatedKey = regexp.MustCompile(`series=\{\[[^\]]*name: t\(`)

// TestPages_DatesAndCharts_AreReadInEveryLanguage: the browser's own date field writes days by its language, not by the school's, and a
// chart whose values are called by a translated word is empty in every other language.
func TestPages_DatesAndCharts_AreReadInEveryLanguage(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := os.ReadFile(path)
		if strings.Contains(string(source), `type="date"`) {
			t.Errorf("%s: use DateField", path)
		}
		if ownDates.Match(source) {
			t.Errorf("%s: without a locale, or with one that is none, days are in the browser's language: use localeOfWords", path)
		}
		if translatedKey.Match(source) {
			t.Errorf("%s: a chart finds its values by a series' name: translate its label", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	// camelCase is a name of the wire in a text; the rest of the words with a capital inside are names of things.
	camelCase = regexp.MustCompile(`\b[a-z]+[A-Z]\w*`)
	properly  = regexp.MustCompile(`\{\w+\}|\biP(?:hone|ad)\b|\baSc\b|\bkB\b`)
	// retired are words that an office does not say, each replaced by one of its own.
	retired = regexp.MustCompile(`(?i)given by itself|no place yet|\bnot said\b|let them leave|the same again|present password|is not whole|` +
		`let this payment be|\blet it be\b|paid ahead|earned by|not heard of|put it aside|\btake up\b|shown until|\btold \{|book of changes|` +
		`\bmend them\b|\bby itself\b|who pays\?|whose account\?|is not there\b`)
)

// TestTexts_OfConsoleAndApp_AreInTheWordsOfAnOffice: no text has a name of the wire, nor a word that was replaced by another.
func TestTexts_OfConsoleAndApp_AreInTheWordsOfAnOffice(t *testing.T) {
	t.Parallel()
	texts := 0
	check := func(text string) {
		texts++
		if name := camelCase.FindString(properly.ReplaceAllString(text, "")); name != "" {
			t.Errorf("%q has a name of the wire, %s: say its label", text, name)
		}
		if word := retired.FindString(text); word != "" {
			t.Errorf("%q says %q, which an office says otherwise", text, word)
		}
	}
	var each func(any)
	each = func(of any) {
		switch of := of.(type) {
		case string:
			check(of)
		case map[string]any:
			for _, part := range of {
				each(part)
			}
		}
	}
	for path, keys := range map[string]bool{"src/messages/console/hi.json": true, "src/messages/en.json": false} {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var catalogue map[string]any
		if err := json.Unmarshal(source, &catalogue); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for key, text := range catalogue {
			if keys { // the console's texts are the keys of its languages
				check(key)
			} else {
				each(text)
			}
		}
	}
	if texts < 2000 {
		t.Errorf("%d texts were found: catalogues are elsewhere now", texts)
	}
}

// TestPages_IDsOfRecordsAndRequests_AreBehindDetails: an office needs neither; who helps asks for them.
func TestPages_IDsOfRecordsAndRequests_AreBehindDetails(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("src/pages", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := os.ReadFile(path)
		hidden := detailsOf.ReplaceAllString(string(source), "")
		for _, shown := range shownID.FindAllString(hidden, -1) {
			t.Errorf("%s shows %s: put it into <Technical>", path, strings.TrimSpace(shown))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	detailsOf = regexp.MustCompile(`(?s)<Technical>.*?</Technical>`)
	shownID   = regexp.MustCompile(`>\s*\{\w+\.(?:requestId|entityId|recordId|id)\}`)
)

// notKept are sources with words that are typed to confirm something, and are thought of anew after a crash.
var notKept = map[string]bool{"src/pages/people/personal-data.tsx": true}

// TestForms_HalfFilled_AreKeptOverACrash: what asks before it is left, or has a text of several lines, offers what was typed again.
func TestForms_HalfFilled_AreKeptOverACrash(t *testing.T) {
	t.Parallel()
	forms := 0
	err := filepath.WalkDir("src/pages", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || notKept[filepath.ToSlash(path)] {
			return err
		}
		source, err := os.ReadFile(path)
		if !guarded.Match(source) {
			return err
		}
		forms++
		if !strings.Contains(string(source), "useKept(") && !strings.Contains(string(source), "useDraft") {
			t.Errorf("%s has a form that a crash loses: useKept or useDraft", path)
		}
		return err
	})
	if err != nil || forms < 10 {
		t.Errorf("%d forms were found, %v", forms, err)
	}
}

var guarded = regexp.MustCompile(`<UnsavedGuard|<Textarea|<FormDrawer|<SaveBar`)
