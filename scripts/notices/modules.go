package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// systems are those of scripts/release; what only one of them links is listed too.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// goModules lists the modules with a package linked into the program, and Go itself, whose runtime and library are.
func goModules(root string) ([]component, error) {
	modules := map[string]*component{}
	seen := map[string]bool{}
	for _, system := range systems {
		if err := linked(root, system, modules, seen); err != nil {
			return nil, err
		}
	}
	// Asked of the command: a program compiled with -trimpath does not know it.
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	language := component{name: "Go runtime and standard library", version: languageVersion(root),
		dirs: []string{strings.TrimSpace(string(goroot))}}
	list := []component{language}
	for _, m := range modules {
		list = append(list, *m)
	}
	return list, nil
}

// linked adds the modules of one system's program; seen are the folders that were looked at.
func linked(root, system string, modules map[string]*component, seen map[string]bool) error {
	goos, goarch, _ := strings.Cut(system, "/")
	command := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", "-tags=nomsgpack", "./cmd/homeroom")
	command.Dir = root
	command.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list for %s: %w\n%s", system, err, said.Bytes())
	}
	for packages := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   struct {
				Path, Version, Dir string
				Main               bool
				Replace            *struct{ Path string }
			}
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Standard || p.Module.Main {
			continue
		}
		if p.Module.Replace != nil {
			return fmt.Errorf("%s is replaced by %s, which this program does not know how to list", p.Module.Path, p.Module.Replace.Path)
		}
		m := modules[p.Module.Path]
		if m == nil {
			m = &component{name: p.Module.Path, version: p.Module.Version}
			modules[p.Module.Path] = m
		}
		// A package that its module took over from elsewhere has its licence in its own folder.
		for dir := p.Dir; strings.HasPrefix(dir, p.Module.Dir) && !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			m.dirs = append(m.dirs, dir)
		}
	}
}

// languageVersion is go.mod's: the licence is the same for the newer one that may have built a release.
func languageVersion(root string) string {
	text, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	for line := range strings.Lines(string(text)) {
		if version, is := strings.CutPrefix(strings.TrimSpace(line), "go "); is {
			return version
		}
	}
	return "unknown"
}
