package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// systemPairs returns a line for every function that the rest of a package calls from its file for Linux and that the file for other
// systems does not have alike, or the other way round. Only a release compiles the program for macOS: it would be the first to fail.
func systemPairs(packages []goPackage) ([]string, error) {
	var broken []string
	for _, p := range packages {
		linux, err := filepath.Glob(filepath.Join(p.Dir, "*_linux.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range linux {
			other := strings.TrimSuffix(file, "_linux.go") + "_other.go"
			differ, err := pairDiffers(p, file, other)
			if err != nil {
				return nil, err
			}
			for _, name := range differ {
				broken = append(broken, fmt.Sprintf("%s: %s is not declared alike in %s and %s", p.ImportPath, name, filepath.Base(file),
					filepath.Base(other)))
			}
		}
	}
	return broken, nil
}

// pairDiffers returns the functions that other files of the package name, and that two of its files do not declare alike.
func pairDiffers(p goPackage, linux, other string) ([]string, error) {
	a, err := functionsOf(linux)
	if err != nil {
		return nil, err
	}
	b, err := functionsOf(other)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		if file == linux {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				named[id.Name] = true
			}
			return true
		})
	}
	var differ []string
	for name := range named {
		if a[name] != b[name] {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	return differ, nil
}

// functionsOf is the functions and methods of a file by name, with their signatures.
func functionsOf(file string) (map[string]string, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all[f.Name.Name] = types.ExprString(unnamed(f.Type))
			if f.Recv != nil {
				all[f.Name.Name] += " of " + types.ExprString(f.Recv.List[0].Type)
			}
		}
	}
	return all, nil
}

// unnamed is a function's type without the names of what it takes and returns: a file that has no use for one leaves it out.
func unnamed(f *ast.FuncType) *ast.FuncType {
	fields := func(list *ast.FieldList) *ast.FieldList {
		if list == nil {
			return nil
		}
		out := &ast.FieldList{}
		for _, field := range list.List {
			for range max(1, len(field.Names)) {
				out.List = append(out.List, &ast.Field{Type: field.Type})
			}
		}
		return out
	}
	return &ast.FuncType{Params: fields(f.Params), Results: fields(f.Results)}
}
