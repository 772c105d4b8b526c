package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
)

// moduleShapes returns a line for every module whose routes.go does not have its type Module with Describe: a reader begins there.
func moduleShapes(packages []goPackage) ([]string, error) {
	var broken []string
	for _, p := range packages {
		if path.Dir(p.ImportPath) != module+"/modules" {
			continue
		}
		for _, file := range p.GoFiles {
			if file == "routes.go" {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			if name := moduleIn(tree); name != "" {
				broken = append(broken, fmt.Sprintf("%s has %s in %s: a module is read from its routes.go on", p.ImportPath, name, file))
			}
		}
	}
	return broken, nil
}

// moduleIn is what a file has that belongs into routes.go, if anything.
func moduleIn(tree *ast.File) string {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.Name == "Describe" {
				return "Describe"
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.Name == "Module" {
					return "type Module"
				}
			}
		}
	}
	return ""
}
