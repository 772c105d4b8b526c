package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"homeroom/config"
)

// top is where the repository begins.
const top = "../.."

func readTop(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// configurationTable is the configuration as the README has to show it.
func configurationTable() string {
	var b strings.Builder
	b.WriteString("| variable | default | meaning |\n|---|---|---|\n")
	columns := regexp.MustCompile(`\s{2,}`)
	for line := range strings.Lines(config.Table()) {
		cells := columns.Split(strings.TrimSpace(line), 3)
		if cells[1] != "-" {
			cells[1] = "`" + cells[1] + "`"
		}
		b.WriteString("| `" + cells[0] + "` | " + cells[1] + " | " + cells[2] + " |\n")
	}
	return b.String()
}

func TestTheReadmeShowsTheConfigurationAsItIs(t *testing.T) {
	t.Parallel()
	_, after, _ := strings.Cut(readTop(t, "README.md"), "<!-- configuration -->\n")
	shown, _, complete := strings.Cut(after, "<!-- /configuration -->")
	if want := configurationTable(); !complete || shown != want {
		t.Errorf("between the configuration marks of README.md should stand\n%s", want)
	}
}

func TestTheReadmesGoIsTheRostersOwn(t *testing.T) {
	t.Parallel()
	source := ""
	for _, file := range []string{"routes.go", "class.go"} {
		source += readTop(t, "modules/roster/"+file)
	}
	examples := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readTop(t, "README.md"), -1)
	if len(examples) == 0 {
		t.Error("README.md shows no Go")
	}
	for _, example := range examples {
		for line := range strings.Lines(example[1]) {
			if !strings.Contains(source, line) {
				t.Errorf("modules/roster has no line %q", line)
			}
		}
	}
}

func TestTheDemoSignInsOfTheReadmeAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	readme := readTop(t, "README.md")
	for _, word := range []string{config.LocalPassword, "super@homeroom.local", "admin@green-valley.local", "accounts@green-valley.local", "admin@baraka-academy.local",
		"+919800000701", "+919800000702", "+919800000703", "4826"} {
		if !strings.Contains(readme, "`"+word+"`") {
			t.Errorf("README.md does not show %s", word)
		}
	}
}

func TestPositionsPage_EveryFunctionIsInItsFile(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`(?:(\\w+)\\.)?(\\w+)`(?: \\|| in) `([\\w/]+\\.go)`").FindAllStringSubmatch(readTop(t, "docs/positions.md"),
		-1)
	if len(named) < 10 {
		t.Errorf("docs/positions.md names %d functions, want 10 or more", len(named))
	}
	for _, n := range named {
		receiver := ""
		if n[1] != "" {
			receiver = `\(\w+ \*?` + n[1] + `\) `
		}
		if !regexp.MustCompile(`(?m)^func ` + receiver + n[2] + `\(`).MatchString(readTop(t, n[3])) {
			t.Errorf("%s has no function %s", n[3], strings.TrimPrefix(n[1]+"."+n[2], "."))
		}
	}
}

// documents are the Markdown files people read.
func documents(t *testing.T) []string {
	t.Helper()
	found := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}
	err := fs.WalkDir(os.DirFS(top), "docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNoLinkOfTheDocumentsIsDead(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```")
	for _, document := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(code.ReplaceAllString(readTop(t, document), ""), -1) {
			path, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := document
			if path != "" {
				target = filepath.Join(filepath.Dir(document), path)
			}
			if _, err := os.Stat(filepath.Join(top, target)); err != nil {
				t.Errorf("%s: %v", document, err)
				continue
			}
			if anchor != "" && !hasHeading(readTop(t, target), anchor) {
				t.Errorf("%s: no heading #%s in %s", document, anchor, target)
			}
		}
	}
}

// hasHeading looks for the heading whose address on a forge is the anchor.
func hasHeading(text, anchor string) bool {
	other := regexp.MustCompile(`[^a-z0-9 -]`)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		if strings.ReplaceAll(other.ReplaceAllString(name, ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

func TestEveryVariableTheDocumentsNameExists(t *testing.T) {
	t.Parallel()
	known := config.Table()
	sources := readRepository(t).sources
	variable := regexp.MustCompile(`\bHOMEROOM_[A-Z_]+[A-Z]`)
	for _, document := range documents(t) {
		for _, name := range variable.FindAllString(readTop(t, document), -1) {
			if !strings.Contains(known, "  "+name+" ") && !strings.Contains(sources, `os.Getenv("`+name+`")`) {
				t.Errorf("%s names %s, which nothing reads", document, name)
			}
		}
	}
}

func TestEveryDependencyHasItsReason(t *testing.T) {
	t.Parallel()
	reasons := readTop(t, "docs/dependencies.md")
	modules := regexp.MustCompile(`(?m)^(?:require )?\s*([a-z0-9.-]+\.[a-z]+(?:/\S+)?) v`).FindAllStringSubmatch(readTop(t,
		"go.mod")+readTop(t, "bench/go.mod"), -1)
	used := map[string]string{} // module → a file that imports it
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == ".local" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			longest := ""
			for _, m := range modules {
				if (name == m[1] || strings.HasPrefix(name, m[1]+"/")) && len(m[1]) > len(longest) {
					longest = m[1]
				}
			}
			if longest != "" {
				used[longest] = path
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(used) < 10 {
		t.Fatalf("found only the dependencies %v", used)
	}
	for module, file := range used {
		if !strings.Contains(reasons, "`"+module+"`") {
			t.Errorf("docs/dependencies.md gives no reason for %s, which %s imports", module, file)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` ").FindAllStringSubmatch(reasons, -1) {
		if used[row[1]] == "" {
			t.Errorf("docs/dependencies.md has %s, which nothing imports", row[1])
		}
	}
}
