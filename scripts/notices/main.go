// Command notices writes THIRD_PARTY_NOTICES.md: name, version, licence and licence text of everything by others that a release
// contains. `make notices` runs it, with the modules fetched and web/node_modules installed; a test compares the file with go.mod
// and web/package-lock.json. It stops at a licence it does not know, so that somebody reads that licence.
package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

const file = "THIRD_PARTY_NOTICES.md"

// component is one work of others: a Go module, an npm package, a font.
type component struct {
	name    string
	version string
	licence string   // as declared by the package itself; empty: what its texts are
	dirs    []string // where its licence files are; none in a listing without texts
}

// section is a chapter of the file.
type section struct {
	title string
	works []component
}

func main() {
	sections, err := shipped(".")
	if err == nil {
		err = write(sections)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// shipped lists what a release of the checkout at root contains, with the folders of the licence files.
func shipped(root string) ([]section, error) {
	modules, err := goModules(root)
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages(root)
	if err != nil {
		return nil, err
	}
	files, err := vendored(root)
	if err != nil {
		return nil, err
	}
	sections := []section{
		{"Go modules in the program", modules},
		{"npm packages in the console", packages},
		{"Files kept in the repository", files},
	}
	for _, s := range sections {
		slices.SortFunc(s.works, func(a, b component) int {
			return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.version, b.version))
		})
	}
	return sections, nil
}

func write(sections []section) error {
	var texts library
	var list strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&list, "\n## %s\n\n", s.title)
		for _, c := range s.works {
			entry, err := texts.entry(c)
			if err != nil {
				return fmt.Errorf("%s %s: %w", c.name, c.version, err)
			}
			list.WriteString(entry)
		}
	}
	const head = `# Third-party notices

A release of Homeroom contains the works listed here: Go modules that are linked into the program, npm packages that the console is
built from, and files kept in the repository. A licence text that several of them share is printed once, at the end; their own
copyright lines are with their names. ` + "`make notices`" + ` writes this file.
`
	return os.WriteFile(file, []byte(head+list.String()+texts.String()), 0o644)
}
