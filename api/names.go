package api

import (
	"maps"
	"slices"
	"strings"
)

// NamesSQL is one query of everything that modules name: rows of an id and a name.
func NamesSQL(modules []Module) string {
	all := map[string]bool{}
	for _, m := range modules {
		for _, sql := range m.Names {
			all[sql] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), " union all ")
}
