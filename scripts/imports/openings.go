package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// openers are the functions that open a database. An import rule would be too blunt: the types beside them, rows and
// errors, are everybody's.
var openers = map[string][]string{
	"database/sql":                     {"Open", "OpenDB"},
	"gorm.io/gorm":                     {"Open"},
	"github.com/jackc/pgx/v5":          {"Connect", "ConnectConfig", "ConnectWithOptions"},
	"github.com/jackc/pgx/v5/pgconn":   {"Connect", "ConnectConfig", "ConnectWithOptions"},
	"github.com/jackc/pgx/v5/pgxpool":  {"New", "NewWithConfig"},
	"github.com/jackc/pgx/v5/stdlib":   {"OpenDB", "OpenDBFromPool", "GetConnector"},
	"github.com/jackc/pgx/v5/pgproto3": {"NewFrontend"},
}

// localstack asks its own servers whether they live; the others are no part of the product.
var mayOpen = []string{"tenancy/...", "localstack", "testkit/...", "scripts/..."}

// openings returns a line for every place outside tenancy that opens a database: it would be a way around the binding to
// one school.
func openings(packages []goPackage) ([]string, error) {
	var all []string
	for _, p := range packages {
		if matches(mayOpen, p.ImportPath) {
			continue
		}
		for _, file := range p.GoFiles {
			found, err := openingsIn(filepath.Join(p.Dir, file), nil)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

func openingsIn(file string, text any) ([]string, error) {
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := importNames(tree)
	var found []string
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(openers[names[x.Name]], s.Sel.Name) {
				found = append(found, fmt.Sprintf("%s: %s.%s: only tenancy opens a database", positions.Position(s.Pos()), names[x.Name], s.Sel.Name))
			}
		}
		return true
	})
	return found, nil
}

// importNames maps the names a file uses to the packages behind them.
func importNames(tree *ast.File) map[string]string {
	names := map[string]string{}
	for _, i := range tree.Imports {
		imported, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(imported)
		if strings.HasPrefix(name, "v") && strings.Trim(name[1:], "0123456789") == "" { // pgx/v5 is pgx
			name = path.Base(path.Dir(imported))
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = imported
	}
	return names
}
