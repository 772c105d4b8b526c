package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// locked is an entry of package-lock.json, by its folder.
type locked struct {
	Version      string            `json:"version"`
	License      string            `json:"license"`
	Dependencies map[string]string `json:"dependencies"`
}

// bundler leaves a few functions of its own in what it builds.
const bundler = "rolldown"

// npmPackages lists what the console's sources import and depend on at run time, with everything below. Some of it is types only,
// or is shaken out of web/dist; more names than needed do no harm.
func npmPackages(root string) ([]component, error) {
	text, err := os.ReadFile(filepath.Join(root, "web", "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]locked `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	wanted, err := imported(filepath.Join(root, "web", "src"))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for name := range lock.Packages[""].Dependencies {
		wanted[name] = true
	}
	for name := range wanted {
		if err := follow(lock.Packages, "", name, found); err != nil {
			return nil, err
		}
	}
	found["node_modules/"+bundler] = true // without what it is built with

	var list []component
	for folder := range found {
		p := lock.Packages[folder]
		name := folder[strings.LastIndex(folder, "node_modules/")+len("node_modules/"):]
		list = append(list, component{name: name, version: p.Version, licence: p.License, dirs: []string{filepath.Join(root, "web", folder)}})
	}
	return list, nil
}

// follow adds the package that a package in folder from gets for name, and all it depends on.
func follow(packages map[string]locked, from, name string, found map[string]bool) error {
	for at := from; ; {
		folder := strings.TrimPrefix(at+"/node_modules/"+name, "/")
		if p, is := packages[folder]; is {
			if found[folder] {
				return nil
			}
			found[folder] = true
			for below := range p.Dependencies {
				if err := follow(packages, folder, below, found); err != nil {
					return err
				}
			}
			return nil
		}
		if at == "" {
			return fmt.Errorf("web/package-lock.json has no %s, which %s wants", name, cmp.Or(from, "the console"))
		}
		at = at[:max(strings.LastIndex(at, "/node_modules/"), 0)]
	}
}

var importing = regexp.MustCompile(`\bfrom '([^.'][^']*)'|\bimport '([^.'][^']*)'|\bimport\('([^.'][^']*)'\)`)

// imported are the packages that sources import by name.
func imported(sources string) (map[string]bool, error) {
	names := map[string]bool{}
	err := filepath.WalkDir(sources, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".ts", ".tsx"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range importing.FindAllStringSubmatch(string(text), -1) {
			parts := strings.SplitN(cmp.Or(match[1:]...), "/", 3)
			name := parts[0]
			if strings.HasPrefix(name, "@") && len(parts) > 1 {
				name += "/" + parts[1]
			}
			names[name] = true
		}
		return nil
	})
	return names, err
}
