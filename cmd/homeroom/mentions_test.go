package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is what documents may name: its files, and what its Go declares.
type repository struct {
	files    map[string]bool            // files and folders, from the top
	bases    map[string]string          // a file's last name → its folder
	packages map[string][]string        // package name → folders
	declared map[string]map[string]bool // folder → names of functions, methods, types, fields, values
	sources  string                     // the text of all files but documents and the console's
}

func readRepository(t *testing.T) repository {
	t.Helper()
	r := repository{files: map[string]bool{}, bases: map[string]string{}, packages: map[string][]string{},
		declared: map[string]map[string]bool{}}
	var sources strings.Builder
	err := fs.WalkDir(os.DirFS(top), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", ".local", "node_modules", "bin"}, d.Name()) {
			return fs.SkipDir
		}
		r.files[path] = true
		if d.IsDir() {
			return nil
		}
		r.bases[filepath.Base(path)] = filepath.Dir(path)
		if strings.HasPrefix(path, "web/") && filepath.Ext(path) != ".go" || !slices.Contains([]string{".go", ".sql", ".sh", ".yaml", ".yml", ".conf", ""},
			filepath.Ext(path)) {
			return nil
		}
		text := readTop(t, path)
		sources.WriteString(text)
		if strings.HasSuffix(path, ".go") {
			return r.declare(filepath.Dir(path), text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.sources = sources.String()
	return r
}

// declare notes what a Go file declares.
func (r *repository) declare(folder, text string) error {
	file, err := parser.ParseFile(token.NewFileSet(), folder, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if name := file.Name.Name; !slices.Contains(r.packages[name], folder) {
		r.packages[name] = append(r.packages[name], folder)
	}
	names := r.declared[folder]
	if names == nil {
		names = map[string]bool{}
		r.declared[folder] = names
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names[n.Name.Name] = true
			return false
		case *ast.TypeSpec:
			names[n.Name.Name] = true
		case *ast.Field:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		}
		return true
	})
	return nil
}

// declaring are the folders whose Go declares a name.
func (r *repository) declaring(name string) []string {
	var folders []string
	for folder, names := range r.declared {
		if names[name] {
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	return folders
}

var (
	mention   = regexp.MustCompile("`([^`\n]+)`")
	qualified = regexp.MustCompile(`^([a-z]\w*)\.([A-Z]\w*)(?:\.(\w+))?(?:\(.*\))?$`)
	plainName = regexp.MustCompile(`^([A-Za-z_]\w*)(?:\(\))?$`)
	fact      = regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)
	testName  = regexp.MustCompile(`^Test[A-Z]\w+$`)
	inFile    = regexp.MustCompile("`([A-Za-z_]\\w*)(?:\\(\\))?`(?:[^`|.;]* and `[^`]+`)? (?:in|of) \\[?`([\\w/.-]+)`")
	fileHas   = regexp.MustCompile("`([\\w/.-]+\\.go)` \\(`([A-Za-z_]\\w*)(?:\\(\\))?`\\)")
)

// wrong says what a document's words in backticks get wrong about the repository, or nothing.
func (r *repository) wrong(words string) string {
	fields := strings.Fields(words)
	switch {
	case len(fields) == 0:
		return ""
	case fields[0] == "make" && len(fields) > 1:
		if !strings.Contains(r.sources, "\n"+fields[1]+": ##") {
			return "the Makefile has no target " + fields[1]
		}
		return ""
	case len(fields) > 1:
		return r.wrongCommand(fields)
	case strings.ContainsAny(words, "<>…*:{}$=@") || strings.HasPrefix(words, "/"):
		return "" // a pattern, an address, a path of the API
	case strings.HasSuffix(words, ".go") && !strings.Contains(words, "/"):
		if r.bases[words] == "" {
			return "no file is called " + words
		}
		return ""
	case testName.MatchString(words):
		if r.declaring(words) == nil {
			return "there is no such test"
		}
		return ""
	}
	if folder, _, _ := strings.Cut(words, "/"); folder != words && r.files[folder] && !slices.Contains([]string{"dist", "bin"}, folder) {
		return r.wrongPath(words)
	}
	if match := qualified.FindStringSubmatch(words); match != nil {
		return r.wrongName(match[1], match[2], match[3])
	}
	return ""
}

func (r *repository) wrongPath(path string) string {
	path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(path, "./"), "..."), "/")
	if r.files[path] {
		return ""
	}
	if folder := r.bases[filepath.Base(path)]; folder != "" {
		return path + " does not exist; a file of that name is in " + folder
	}
	return path + " does not exist"
}

// wrongCommand looks at the packages, scripts and test names of a command.
func (r *repository) wrongCommand(fields []string) string {
	var run, folder string
	for i, field := range fields {
		if field == "-run" && i+1 < len(fields) {
			run = fields[i+1]
		}
		if strings.HasPrefix(field, "./") || strings.HasPrefix(field, "scripts/") {
			if wrong := r.wrongPath(field); wrong != "" {
				return wrong
			}
			folder = strings.TrimPrefix(field, "./")
		}
	}
	if run == "" {
		return ""
	}
	names := slices.Collect(maps.Keys(r.declared[folder]))
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "Test") && strings.Contains(name, run) }) {
		return "no test of " + folder + " has " + run + " in its name"
	}
	return ""
}

func (r *repository) wrongName(pkg, name, member string) string {
	folders, ours := r.packages[pkg]
	if pkg == "c" { // a handler's context
		folders, ours = []string{"api"}, true
	}
	if !ours {
		if found := r.declaring(name); len(found) > 0 {
			return "there is no package " + pkg + "; " + name + " is declared in " + strings.Join(found, ", ")
		}
		return "there is no package " + pkg
	}
	for _, want := range []string{name, member} {
		if want == "" || slices.ContainsFunc(folders, func(folder string) bool { return r.declared[folder][want] }) {
			continue
		}
		if found := r.declaring(want); len(found) > 0 {
			return "package " + pkg + " does not declare " + want + "; it is declared in " + strings.Join(found, ", ")
		}
		return "package " + pkg + " does not declare " + want + ", and no other does"
	}
	return ""
}

func TestDocuments_NameOnlyWhatExists(t *testing.T) {
	t.Parallel()
	r := readRepository(t)
	fence := regexp.MustCompile("(?s)```.*?```")
	blank := func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) }
	for _, document := range documents(t) {
		if document == "CHANGELOG.md" {
			continue // tells of what was
		}
		number := 0
		for line := range strings.Lines(fence.ReplaceAllStringFunc(readTop(t, document), blank)) {
			number++
			for _, found := range mention.FindAllStringSubmatch(line, -1) {
				if wrong := r.wrong(found[1]); wrong != "" {
					t.Errorf("%s:%d: `%s`: %s", document, number, found[1], wrong)
				}
			}
			for _, found := range inFile.FindAllStringSubmatch(line, -1) {
				r.holds(t, document, number, found[2], found[1])
			}
			for _, found := range fileHas.FindAllStringSubmatch(line, -1) {
				r.holds(t, document, number, found[1], found[2])
			}
		}
	}
}

// holds fails the test if a file that is named with a word does not have that word.
func (r *repository) holds(t *testing.T, document string, line int, path, word string) {
	t.Helper()
	if !strings.Contains(path, "/") || !r.files[path] || filepath.Ext(path) == "" {
		return // routes.go of any module; or missing, which is said already
	}
	if !regexp.MustCompile(`\b` + word + `\b`).MatchString(readTop(t, path)) {
		where := strings.Join(r.declaring(word), ", ")
		t.Errorf("%s:%d: %s does not have `%s`; declared in: %s", document, line, path, word, where)
	}
}

func TestReadmeAndGlossary_PlainNames_AreInTheSources(t *testing.T) {
	t.Parallel()
	r := readRepository(t)
	for _, document := range []string{"README.md", "docs/glossary.md"} {
		for _, found := range mention.FindAllStringSubmatch(readTop(t, document), -1) {
			if fact.MatchString(found[1]) && filepath.Ext(found[1]) != ".go" && !strings.Contains(r.sources, `"`+found[1]+`"`) {
				t.Errorf("%s: no fact is called `%s`", document, found[1])
			}
			name := plainName.FindStringSubmatch(found[1])
			if name == nil || strings.HasPrefix(name[1], "HOMEROOM_") {
				continue
			}
			if !regexp.MustCompile(`\b` + name[1] + `\b`).MatchString(r.sources) {
				t.Errorf("%s: `%s` is in no source file: was it renamed?", document, found[1])
			}
		}
	}
}

func TestReadme_Folders_Exist(t *testing.T) {
	t.Parallel()
	r := readRepository(t)
	tree := regexp.MustCompile(`(?m)^([a-z][\w/]*/) {2,}\S`).FindAllStringSubmatch(readTop(t, "README.md"), -1)
	if len(tree) < 10 {
		t.Fatalf("README.md shows %d folders", len(tree))
	}
	for _, folder := range tree {
		if wrong := r.wrongPath(folder[1]); wrong != "" {
			t.Error("README.md:", wrong)
		}
	}
	modules := regexp.MustCompile(`(?m)^modules/<noun>/ +(.*):`).FindStringSubmatch(readTop(t, "README.md"))
	if modules == nil {
		t.Fatal("README.md lists no modules")
	}
	for _, module := range strings.Split(modules[1], " · ") {
		name, _, _ := strings.Cut(module, " ")
		if !r.files["modules/"+name] {
			t.Errorf("README.md lists the module %s; modules/%s does not exist", name, name)
		}
	}
}
