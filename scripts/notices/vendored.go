package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// kept are the files of others that the repository holds: one file of each by which it is found, and what
// comes before the version in it. Its licence is beside it.
var kept = []struct{ name, file, before string }{
	{"DejaVu fonts", "DejaVuSansCondensed.ttf.gz", "Version "},
	{"Droid Sans Fallback", "DroidSansFallback.ttf.gz", "Version "},
	{"Noto fonts", "NotoSans-Regular.ttf.gz", "Version "},
}

func vendored(root string) ([]component, error) {
	var list []component
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"node_modules", ".git", ".local", "bin", "dist"}, d.Name()) {
			return fs.SkipDir
		}
		for _, k := range kept {
			if d.Name() != k.file {
				continue
			}
			version, err := versionIn(path, k.before)
			if err != nil {
				return err
			}
			list = append(list, component{name: k.name, version: version, dirs: []string{filepath.Dir(path)}})
		}
		return nil
	})
	if err == nil && len(list) != len(kept) {
		err = fmt.Errorf("%d of %d vendored works found: vendored.go names their files", len(list), len(kept))
	}
	return list, err
}

// versionIn reads a version out of a file, unpacked if it is compressed.
func versionIn(path, before string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(path, ".gz") {
		unpacked, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return "", err
		}
		if text, err = io.ReadAll(unpacked); err != nil {
			return "", err
		}
	}
	text = bytes.ReplaceAll(text, []byte{0}, nil) // fonts may have texts of two bytes a letter
	version := regexp.MustCompile(regexp.QuoteMeta(before) + `([0-9.]+)`).FindSubmatch(text)
	if version == nil {
		return "", fmt.Errorf("%s: no version follows %q", path, before)
	}
	return string(version[1]), nil
}
