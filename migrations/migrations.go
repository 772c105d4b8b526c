// Package migrations holds the SQL that makes and changes the platform's schema
// and every school's schema. Files are numbered, run once each in order, and are
// never edited after they are merged: a change is a new file. They name no schema:
// the migrator decides where they run.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"
)

//go:embed platform/*.sql school/*.sql
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
	names, err := fs.Glob(fsys, dir+"/*.sql")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var out []Migration
	for i, path := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(path, dir+"/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migrations/%s: want number %04d", path, i+1)
		}
		sql, err := fs.ReadFile(fsys, path)
		if err != nil {
			return nil, err
		}
		out = append(out, Migration{Version: version, Name: name, SQL: string(sql)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("migrations: no files in %s", dir)
	}
	return out, nil
}
