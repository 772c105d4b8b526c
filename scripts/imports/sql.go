package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
)

// sqlText recognizes a statement by how it begins, and a part of one by a join.
var sqlText = regexp.MustCompile(`(?is)^\s*(select|insert into|update|delete from|with)\s|\sjoin\s+\S+\s+\S+\s+on\s`)

// replacing are the functions of package strings that change a text.
var replacing = map[string]bool{"Replace": true, "ReplaceAll": true, "NewReplacer": true}

// replacements returns a line for every statement that is changed by replacing some of its text: nobody who edits the
// statement sees that another place depends on its wording. A function that takes the part that differs does the same.
func replacements(packages []goPackage) ([]string, error) {
	var all []string
	for _, p := range packages {
		positions := token.NewFileSet()
		var trees []*ast.File
		for _, file := range p.GoFiles {
			tree, err := parser.ParseFile(positions, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			trees = append(trees, tree)
		}
		all = append(all, replacementsIn(positions, trees)...)
	}
	return all, nil
}

func replacementsIn(positions *token.FileSet, trees []*ast.File) []string {
	statements := map[string]bool{} // names of constants and variables of the package that hold SQL
	for _, tree := range trees {
		ast.Inspect(tree, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				for i, value := range v.Values {
					if i < len(v.Names) && hasSQL(value, nil) {
						statements[v.Names[i].Name] = true
					}
				}
			}
			return true
		})
	}
	var found []string
	for _, tree := range trees {
		names := importNames(tree)
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok || names[x.Name] != "strings" || !replacing[s.Sel.Name] {
				return true
			}
			for _, argument := range call.Args {
				if hasSQL(argument, statements) {
					found = append(found, fmt.Sprintf("%s: a statement is changed by strings.%s: write a function that takes the part that differs",
						positions.Position(call.Pos()), s.Sel.Name))
					break
				}
			}
			return true
		})
	}
	return found
}

// hasSQL reports whether an expression is a text of SQL, or made of one.
func hasSQL(e ast.Expr, statements map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return err == nil && sqlText.MatchString(text)
	case *ast.BinaryExpr:
		return hasSQL(e.X, statements) || hasSQL(e.Y, statements)
	case *ast.Ident:
		return statements[e.Name]
	}
	return false
}
