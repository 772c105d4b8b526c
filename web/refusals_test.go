package web_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

var inEnglish = regexp.MustCompile(`%(?:\[(\d)\])?([a-z%])`)

// valuesOf are the numbers of the values that a text has places for.
func valuesOf(text string) (out []int) {
	n := 0
	for _, place := range inEnglish.FindAllStringSubmatch(text, -1) {
		if place[2] == "%" {
			continue
		}
		if n++; place[1] != "" {
			n, _ = strconv.Atoi(place[1])
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// refusalWords are the words of each language, by their English.
func refusalWords(t *testing.T) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	for _, language := range []string{"ar", "hi", "sw"} {
		text, err := os.ReadFile("../api/refusals/" + language + ".json")
		words := map[string]string{}
		if err == nil {
			err = json.Unmarshal(text, &words)
		}
		if err != nil {
			t.Fatal(err)
		}
		out[language] = words
	}
	return out
}

func TestRefusals_InEveryLanguage_KeepTheirValues(t *testing.T) {
	t.Parallel()
	for language, words := range refusalWords(t) {
		for english, text := range words {
			if got, want := valuesOf(text), valuesOf(english); !slices.Equal(got, want) {
				t.Errorf("%s: %q has the values %v, want %v of %q", language, text, got, want, english)
			}
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has nothing for %q", language, english)
			}
		}
	}
}

// TestRefusals_OfTheApp_HaveWordsInEveryLanguage reads the sources from the rows that the app calls: what their handlers, and all
// that these call, may say of a request. What a function takes as its format or message is such a sentence.
func TestRefusals_OfTheApp_HaveWordsInEveryLanguage(t *testing.T) {
	t.Parallel()
	said := readSources(t).saidFrom(appRoutes)
	if len(said) < 150 {
		t.Fatalf("%d refusals were found: the patterns no longer fit", len(said))
	}
	for language, words := range refusalWords(t) {
		for english, where := range said {
			if words[english] == "" {
				t.Errorf("%s has no words for %q (%s)", language, english, where)
			}
		}
	}
}

// TestFieldsOfTheApp_HaveWordsInEveryLanguage: a rule's refusal begins with the field's label.
func TestFieldsOfTheApp_HaveWordsInEveryLanguage(t *testing.T) {
	t.Parallel()
	words := refusalWords(t)
	for _, r := range testkit.Shared(t).Service.Kernel.Rows {
		if !appRow.MatchString(r.Path) {
			continue
		}
		for _, name := range fieldsOf(r.Request, map[reflect.Type]bool{}) {
			for language, of := range words {
				if of[api.Label(name)] == "" {
					t.Errorf("%s has no words for %q, the field %s of %s", language, api.Label(name), name, r.Name())
				}
			}
		}
	}
}

// sources are the functions, methods and variables of the service, by folder and name.
type sources struct {
	files     *token.FileSet
	named     map[string][]source // folder.name, and folder.().name of methods
	asked     map[string]bool     // folder.name of the methods of its interfaces
	constants map[string]ast.Expr // folder.name
	sayers    map[string]bool     // folder.name of functions that take a format or a message
	folders   map[string]bool
	routes    []source // calls that make a row
}

type source struct {
	folder  string
	path    string // of a row; empty: it is put together
	imports map[string]string
	node    ast.Node
}

// appRoutes are the rows of the app: those whose path is put together are made for each client.
var appRoutes = regexp.MustCompile(`^(/(parent|teacher|driver|auth)/.*|)$`)

// silent are packages that say nothing to those who use the app.
var silent = regexp.MustCompile(`^\.\./(tenancy|events|delivery|imports|sheet|paper|bench|cmd|testkit|load|fleet|web|tools)(/|$)`)

func readSources(t *testing.T) *sources {
	t.Helper()
	s := &sources{files: token.NewFileSet(), named: map[string][]source{}, asked: map[string]bool{}, constants: map[string]ast.Expr{},
		sayers: map[string]bool{}, folders: map[string]bool{}}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		folder := filepath.Dir(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (silent.MatchString(path) || d.Name() == ".git"):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || d.Name() == "example.go":
			return nil
		}
		file, err := parser.ParseFile(s.files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.add(folder, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *sources) add(folder string, file *ast.File) {
	s.folders[folder] = true
	of := source{folder: folder, imports: map[string]string{}}
	for _, i := range file.Imports {
		if to, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "homeroom/"); ours {
			name := filepath.Base(to)
			if i.Name != nil {
				name = i.Name.Name
			}
			of.imports[name] = "../" + to
		}
	}
	with := func(n ast.Node) source { of.node = n; return of }
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is {
			name := folder + "." + f.Name.Name
			if f.Recv != nil {
				name = folder + ".()." + f.Name.Name
			}
			s.named[name] = append(s.named[name], with(f))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) > 0 {
					value := n.Values[min(i, len(n.Values)-1)]
					s.constants[folder+"."+name.Name] = value
					s.named[folder+"."+name.Name] = append(s.named[folder+"."+name.Name], with(value))
				}
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					s.asked[folder+"."+name.Name] = true
				}
			}
		case *ast.FuncDecl:
			s.addSayer(folder, n.Name.Name, n.Type)
		case *ast.AssignStmt:
			if f, is := n.Rhs[0].(*ast.FuncLit); is {
				if name, is := n.Lhs[0].(*ast.Ident); is {
					s.addSayer(folder, name.Name, f.Type)
				}
			}
		case *ast.Field:
			if f, is := n.Type.(*ast.FuncType); is && len(n.Names) > 0 {
				s.addSayer(folder, n.Names[0].Name, f)
			}
		case *ast.CallExpr:
			if path, is := s.rowPath(folder, n); is {
				row := with(n)
				row.path = path
				s.routes = append(s.routes, row)
			}
		}
		return true
	})
}

// rowPath is the path of the row that a call declares, as its first or second argument.
func (s *sources) rowPath(folder string, call *ast.CallExpr) (string, bool) {
	for _, arg := range call.Args[:min(2, len(call.Args))] {
		path, known := s.text(folder, arg)
		if known && strings.HasPrefix(path, "/") {
			return path, true
		}
		if sum, is := arg.(*ast.BinaryExpr); is {
			arg = sum.X
		}
		if name, is := arg.(*ast.Ident); is && name.Name == "at" && strings.HasPrefix(selected(call.Fun), "api.") {
			return "", true
		}
	}
	return "", false
}

// addSayer notes a function that has a parameter called format or message.
func (s *sources) addSayer(folder, name string, f *ast.FuncType) {
	for _, p := range f.Params.List {
		for _, n := range p.Names {
			if n.Name == "format" || n.Name == "message" {
				s.sayers[folder+"."+name] = true
			}
		}
	}
}

func (s *sources) text(folder string, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		first, known := s.text(folder, e.X)
		second, both := s.text(folder, e.Y)
		return first + second, known && both
	case *ast.Ident:
		if value := s.constants[folder+"."+e.Name]; value != nil {
			return s.text(folder, value)
		}
	}
	return "", false
}

func selected(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return selected(e.X)
	case *ast.SelectorExpr:
		return selected(e.X) + "." + e.Sel.Name
	}
	return "?"
}

// saidFrom is all that may be said to a caller of some rows, and where. What is put together without a format is its place alone,
// which no language has words for.
func (s *sources) saidFrom(rows *regexp.Regexp) map[string]string {
	said, seen := map[string]string{}, map[string]bool{}
	var queue []source
	push := func(name string) {
		if !seen[name] && !silent.MatchString(name) {
			seen[name] = true
			queue = append(queue, s.named[name]...)
		}
	}
	for _, r := range s.routes {
		if !rows.MatchString(r.path) {
			continue
		}
		queue = append(queue, r)
		if call := selected(r.node.(*ast.CallExpr).Fun); !slices.Contains([]string{"api.Get", "api.List", "api.Query"}, call) {
			push(r.folder + ".constraints") // what the database refuses of what the module writes
		}
	}
	for _, name := range []string{"run", "refuse", "bind", "permit"} { // what the kernel does for every row
		push("../api.()." + name)
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		note := func(e ast.Expr) {
			text, known := s.text(at.folder, e)
			where := s.files.Position(e.Pos()).String()
			sum, _ := e.(*ast.BinaryExpr)
			call, _ := e.(*ast.CallExpr)
			switch {
			case known && strings.Contains(text, " "): // else it is a field, or a place for a sentence
				said[text] = where
			case !known && (sum != nil || call != nil && selected(call.Fun) == "fmt.Sprintf") && s.isSentence(at.folder, e):
				said[where] = "it is put together: give it a format"
			}
		}
		ast.Inspect(at.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				push(at.folder + "." + n.Name)
			case *ast.SelectorExpr:
				if of, is := n.X.(*ast.Ident); is && at.imports[of.Name] != "" {
					push(at.imports[of.Name] + "." + n.Sel.Name)
					return false
				}
				s.pushMethods(at, n.Sel.Name, push)
			case *ast.KeyValueExpr:
				if key, is := n.Key.(*ast.Ident); is && key.Name == "Message" {
					note(n.Value)
				}
			case *ast.CallExpr:
				folder, name, ofPackage := strings.Cut(selected(n.Fun), ".")
				if folder, ofPackage = at.imports[folder], ofPackage && at.imports[folder] != ""; !ofPackage {
					folder, name = at.folder, selected(n.Fun)[strings.LastIndex(selected(n.Fun), ".")+1:]
				}
				// What only a program can mend is said in one sentence for all of it.
				if s.sayers[folder+"."+name] && name != "Malformed" && name != "Says" {
					for _, arg := range n.Args {
						note(arg)
					}
				}
			}
			return true
		})
	}
	return said
}

// isSentence reports whether a part of what is put together has a space.
func (s *sources) isSentence(folder string, e ast.Expr) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		part, isExpr := n.(ast.Expr)
		if isExpr {
			text, _ := s.text(folder, part)
			is = is || strings.Contains(text, " ")
		}
		return !is
	})
	return is
}

// pushMethods follows a call of a method: of its own folder, of those that it imports and, where it asks for an interface, of any.
func (s *sources) pushMethods(at source, name string, push func(string)) {
	push(at.folder + ".()." + name)
	for _, folder := range at.imports {
		if folder != "../api" {
			push(folder + ".()." + name)
		}
	}
	if s.asked[at.folder+"."+name] && at.folder != "../api" {
		for folder := range s.folders {
			push(folder + ".()." + name)
		}
	}
}

// fieldsOf are the names on the wire of the fields that have a rule.
func fieldsOf(t reflect.Type, seen map[reflect.Type]bool) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if fields, isChange := api.ChangeOf(t); isChange {
		t = fields
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	for _, f := range reflect.VisibleFields(t) {
		if name := api.JSONName(f); name != "" && f.Tag.Get("validate") != "" {
			names = append(names, name)
		}
		if f.IsExported() {
			names = append(names, fieldsOf(f.Type, seen)...)
		}
	}
	return names
}
