package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheRulesTellGoodImportsFromBad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		importer, imported string
		good               bool
	}{
		{"homeroom/modules/fee", "homeroom/api", true},
		{"homeroom/modules/fee", "homeroom/modules/roster", true},
		{"homeroom/modules/fee", "homeroom/modules/fee/ledger", true},
		{"homeroom/modules/fee/charging", "homeroom/modules/fee/ledger", true},
		{"homeroom/modules/fee/charging", "homeroom/modules/fee", false},
		{"homeroom/modules/fee/ledger", "homeroom/modules/fee/charging", false},
		{"homeroom/modules/library", "homeroom/modules/fee/charging", false},
		{"homeroom/modules/fee", "gorm.io/gorm", true},
		{"homeroom/modules/fee", "homeroom/modules/leave", false},
		{"homeroom/modules/fee", "homeroom/auth", false},
		{"homeroom/modules/fee", "net/http", false},
		{"homeroom/modules/fee", "github.com/gin-gonic/gin", false},
		{"homeroom/modules/fee", "github.com/redis/go-redis/v9", false},
		{"homeroom/modules/transport", "homeroom/modules/transport/live", true},
		{"homeroom/modules/transport/live", "homeroom/modules/transport", false},
		{"homeroom/modules/transport/live", "homeroom/modules/roster", false},
		{"homeroom/modules/transport/live", "homeroom/tenancy", true},
		{"homeroom/events", "homeroom/tenancy", false},
		{"homeroom/realtime", "homeroom/events", true},
		{"homeroom/realtime", "homeroom/tenancy", false},
		{"homeroom/realtime/socketio", "homeroom/auth", false},
		{"homeroom/api", "homeroom/auth", false},
		{"homeroom/api", "homeroom/events", true},
		{"homeroom/api", "homeroom/notice", false},
		{"homeroom/api", "homeroom/api/limit", false},
		{"homeroom/api/limit", "homeroom/api", true},
		{"homeroom/modules/fee", "homeroom/notice", true},
		{"homeroom/notice", "homeroom/modules/notification", false},
		{"homeroom/api", "homeroom/api/openapi", false},
		{"homeroom/modules/fee", "homeroom/api/openapi", false},
		{"homeroom/api/openapi", "homeroom/api", true},
		{"homeroom/api/openapi", "homeroom/modules/fee", false},
		{"homeroom/cmd/service", "homeroom/api/openapi", true},
		{"homeroom/auth", "homeroom/config", false},
		{"homeroom/auth", "homeroom/auth/tokens", true},
		{"homeroom/auth/tokens", "homeroom/auth", false},
		{"homeroom/cmd/homeroom", "homeroom/config", true},
		{"homeroom/cmd/homeroom", "homeroom/localstack", true},
		{"homeroom/cmd/homeroom", "homeroom/testkit", false},
		{"homeroom/api", "homeroom/tenancy", true},
		{"homeroom/tenancy", "homeroom/localstack", false},
		{"homeroom/tenancy", "github.com/hashicorp/golang-lru/v2", true},
		{"homeroom/tenancy", "github.com/hashicorp/golang-lru/v2/expirable", false},
	} {
		broken := check(rules, []goPackage{{ImportPath: c.importer, Imports: []string{c.imported}}})
		if good := len(broken) == 0; good != c.good {
			t.Errorf("%s imports %s: %s", c.importer, c.imported, strings.Join(broken, "; "))
		}
	}
}

func TestCompiledTwice_BothKindsOfTests_AreFound(t *testing.T) {
	t.Parallel()
	unit, through := []string{"cache_test.go"}, []string{"testing", "homeroom/testkit"}
	for name, c := range map[string]struct {
		p    goPackage
		good bool
	}{
		"tests in the package":      {goPackage{ImportPath: "homeroom/api", TestGoFiles: unit}, true},
		"tests through the service": {goPackage{ImportPath: "homeroom/modules/fee", XTestImports: through}, true},
		"both":                      {goPackage{ImportPath: "homeroom/modules/fee", TestGoFiles: unit, XTestImports: through}, false},
		"both, of the program":      {goPackage{ImportPath: "homeroom/cmd/service", TestGoFiles: unit, XTestImports: through}, true},
	} {
		broken := compiledTwice([]goPackage{c.p})
		if good := len(broken) == 0; good != c.good {
			t.Errorf("%s: %v", name, broken)
		}
	}
}

func TestADatabaseOpenedOutsideTenancyIsFound(t *testing.T) {
	t.Parallel()
	const text = `package p
import (
	"database/sql"
	"errors"
	other "github.com/jackc/pgx/v5"
)
var fine = errors.Is(nil, other.ErrNoRows)
func f() { other.Connect(nil, ""); sql.OpenDB(nil); sql.Named("", 0) }
`
	found, err := openingsIn("p.go", text)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || !strings.Contains(found[0], "pgx/v5.Connect") || !strings.Contains(found[1], "sql.OpenDB") {
		t.Errorf("found %q", found)
	}
}

func TestSQL_ChangedByReplacement_IsFound(t *testing.T) {
	t.Parallel()
	const text = `package p
import "strings"
const list = "select id from student where id = ?"
const tables = "student s left join division d on d.id = s.division_id"
var (
	_ = strings.Replace(list, "?", "$1", 1)
	_ = strings.ReplaceAll("delete from student where id = @", "@", "$1")
	_ = strings.Replace(tables+" where true", "student s", "x s", 1)
	_ = strings.ReplaceAll("from here to there", " ", "-")
)
`
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := replacementsIn(positions, []*ast.File{tree})
	if len(found) != 3 {
		t.Errorf("found %d, want the first three: %q", len(found), found)
	}
}

func TestModule_OutsideRoutes_IsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"type Module struct{}":                      "type Module",
		"func (m *Module) Describe() api.Module {}": "Describe",
		"func Describe() {}":                        "",
		"type Modules []int":                        "",
	} {
		tree, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := moduleIn(tree); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestSystems_OtherFileLacksAFunction_IsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.go":          "package p\nfunc f() { lower(1); raise() }",
		"nice_linux.go": "package p\nfunc lower(by int) {}\nfunc raise() {}\nfunc own() {}",
		"nice_other.go": "package p\nfunc lower(int) {}\nfunc lift() {}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := systemPairs([]goPackage{{ImportPath: "homeroom/p", Dir: dir, GoFiles: []string{"p.go", "nice_linux.go"}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"homeroom/p: raise is not declared alike in nice_linux.go and nice_other.go"}; !slices.Equal(found, want) {
		t.Errorf("got %q, want %q", found, want)
	}
}
