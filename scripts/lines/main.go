// Command lines checks that lines of Go are under 140 characters, a tab being one. `make lint` runs it.
//
// Struct fields with a tag are left out: Go takes a tag as one literal that cannot be broken, and the description of a field
// belongs beside its name and its rules, from which the document and the forms are made. Tests may be longer where they
// compare texts.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const limit = 139

// tagged is a struct field with a tag.
var tagged = regexp.MustCompile("^\\s*[A-Za-z_*][^`]*`[a-z]+:\"[^`]*`(\\s*//.*)?$")

func main() {
	var found []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", ".local", ".git"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found = append(found, tooLong(path, string(text))...)
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// tooLong returns a line for each one of a file that is too long.
func tooLong(path, text string) []string {
	var found []string
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if n := utf8.RuneCountInString(line); n > limit && !tagged.MatchString(line) {
			found = append(found, fmt.Sprintf("%s:%d: %d characters, of %d", path, number, n, limit))
		}
	}
	return found
}
