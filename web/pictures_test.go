package web_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPictures_OfTheReadme_AreThere holds the README against docs/pictures/; what is written on the pages themselves is held against
// them by two stories.
func TestPictures_OfTheReadme_AreThere(t *testing.T) {
	t.Parallel()
	const folder = "../docs/pictures/"
	taken := map[string]struct{ Title string }{}
	text, err := os.ReadFile(folder + "titles.json")
	if err == nil {
		err = json.Unmarshal(text, &taken)
	}
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(taken) != 5 {
		t.Errorf("there are %d pictures, want 5", len(taken))
	}
	there := map[string]bool{"titles.json": true}
	for name, of := range taken {
		for _, file := range []string{name + ".png", name + "-dark.png"} {
			there[file] = true
			if _, err := os.Stat(folder + file); err != nil || !strings.Contains(string(readme), "docs/pictures/"+file) {
				t.Errorf("the README shows %s: %t (%v)", file, strings.Contains(string(readme), file), err)
			}
		}
		if !strings.Contains(string(readme), `alt="`+of.Title) {
			t.Errorf("the picture of %s is described by no text that begins with %q", name, of.Title)
		}
	}
	for _, found := range regexp.MustCompile(`(?:src|srcset)="([^"]+)"|!\[[^\]]*\]\(([^)]+)\)`).FindAllStringSubmatch(string(readme), -1) {
		if file, ours := strings.CutPrefix(found[1]+found[2], "docs/pictures/"); !ours || !there[file] {
			t.Errorf("the README shows %s, whose page is held against no title", found[1]+found[2])
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !there[f.Name()] {
			t.Errorf("%s is no picture of the README", f.Name())
		}
	}
}
