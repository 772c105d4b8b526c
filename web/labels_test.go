package web_test

import (
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
		if translatedKey.Match(source) {
			t.Errorf("%s: a chart finds its values by a series' name: translate its label", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
