// Package migrations holds the SQL that makes and changes the platform's schema
// and every school's schema. Files are numbered, run once each in order, and are
// never edited after they are merged: a change is a new file. They name no schema:
// the migrator decides where they run. A new school's are made at once: see baseline.go.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"
)

//go:embed platform/*.sql school/*.sql baseline/*.sql
var files embed.FS

// Migration is one numbered file.
type Migration struct {
	Version int
	Name    string
	SQL     string
}

// Platform returns the migrations of the platform's schema, oldest first.
func Platform() []Migration { return mustLoad(files, "platform") }

// School returns the migrations of a school's schema, oldest first.
func School() []Migration { return mustLoad(files, "school") }

// Latest is the version a schema has once all of ms have run.
func Latest(ms []Migration) int { return ms[len(ms)-1].Version }

// mustLoad panics because the files are compiled in: a bad name is a bug that no
// start-up could survive, and every test would show it.
func mustLoad(fsys fs.FS, dir string) []Migration {
	ms, err := Load(fsys, dir)
	if err != nil {
		panic(err)
	}
	return ms
}

// Load reads NNNN_what.sql files from dir and refuses gaps and doubles in the numbering.
func Load(fsys fs.FS, dir string) ([]Migration, error) {
	out, err := load(fsys, dir)
	for i, m := range out {
		if m.Version != i+1 {
			return nil, fmt.Errorf("migrations/%s/%s.sql: want number %04d", dir, m.Name, i+1)
		}
	}
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("migrations: no files in %s", dir)
	}
	return out, err
}

// load reads them by number.
func load(fsys fs.FS, dir string) ([]Migration, error) {
	names, err := fs.Glob(fsys, dir+"/*.sql")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var out []Migration
	for _, path := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(path, dir+"/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("migrations/%s: want a number of four digits first", path)
		}
		sql, err := fs.ReadFile(fsys, path)
		if err != nil {
			return nil, err
		}
		out = append(out, Migration{Version: version, Name: name, SQL: string(sql)})
	}
	return out, nil
}
