package sheet

import (
	"fmt"
	"slices"
	"strings"

	"homeroom/api"
)

// names are what headers may be called.
type names struct {
	known           map[string]int // by the squeezed name
	own             map[string]bool
	mapping, before map[string]string // by the squeezed header
	columns         []Column
}

func newNames(columns []Column, how Reading) *names {
	n := &names{known: map[string]int{}, own: map[string]bool{}, mapping: map[string]string{}, before: map[string]string{}, columns: columns}
	for i, c := range columns {
		for _, name := range c.Also {
			if key := squeeze(name); key != "" {
				n.known[key] = i
			}
		}
	}
	for i, c := range columns {
		n.known[squeeze(c.Name)], n.own[squeeze(c.Name)] = i, true
	}
	for header, column := range how.Mapping {
		n.mapping[squeeze(header)] = column
	}
	for header, column := range how.Remembered {
		n.before[squeeze(header)] = column
	}
	return n
}

// find is the column of a header, -1 if it has none, and why.
func (n *names) find(header string) (int, string) {
	key := squeeze(header)
	if key == squeeze(WhatToChange) {
		return -1, "NAME"
	}
	if column, said := n.mapping[key]; said && key != "" {
		return n.called(column), "REQUEST"
	}
	if i, known := n.known[key]; known && n.own[key] {
		return i, "NAME"
	}
	if column, said := n.before[key]; said && key != "" {
		return n.called(column), "REMEMBERED"
	}
	if i, known := n.known[key]; known {
		return i, "SYNONYM"
	}
	return -1, "NONE"
}

func (n *names) called(column string) int {
	return slices.IndexFunc(n.columns, func(c Column) bool { return c.Name == column })
}

// score counts the different columns that a row would name as a header.
func (n *names) score(cells []string) int {
	seen := map[string]bool{}
	for _, cell := range cells {
		if len(cell) > maxHeader {
			continue
		}
		if _, by := n.find(cell); by != "NONE" {
			seen[squeeze(cell)] = true
		}
	}
	return len(seen)
}

// name finds the column of each cell. The same name twice is refused: which of the two is meant could only be guessed. Of two
// names for one column the first is read.
func (t *Table) name(header []string, names *names, how Reading) error {
	if len(header) > maxColumns {
		return BadFile("has more than %d columns", maxColumns)
	}
	for said, column := range how.Mapping {
		if column != "" && names.called(column) < 0 {
			return api.InvalidField("mapping", "%q is not a column: there are %s", column, columnNames(t.columns))
		}
		if !slices.ContainsFunc(header, func(h string) bool { return squeeze(h) == squeeze(said) }) && !strings.HasPrefix(said, "(column ") {
			return api.InvalidField("mapping", "the file has no column %q", said)
		}
	}
	seen, keys := map[int]int{}, map[string]string{}
	for n, spelt := range header {
		if spelt = strings.Clone(strings.Join(strings.Fields(spelt), " ")); len(spelt) > maxHeader {
			return BadFile("has a name of more than %d bytes for column %d", maxHeader, n+1)
		}
		if spelt == "" {
			spelt = fmt.Sprintf("(column %d)", n+1)
		}
		i, by := names.find(spelt)
		if i >= 0 {
			if other, twice := keys[squeeze(spelt)]; twice {
				return BadFile("has the column %s twice: %q and %q", t.columns[i].Name, other, spelt)
			}
			keys[squeeze(spelt)] = spelt
			if first, twice := seen[i]; twice {
				switch rank := map[string]int{"SYNONYM": 1, "REMEMBERED": 2, "NAME": 3, "REQUEST": 4}; {
				case rank[by] > rank[t.Columns[first].By]: // it is sure, the other a guess
					t.at[first], t.Columns[first].Column, t.Columns[first].By = -1, "", "NONE"
					seen[i] = n
				case by == "REQUEST":
					return api.InvalidField("mapping", "both %q and %q are %s", t.Columns[first].Header, spelt, t.columns[i].Name)
				default:
					i, by = -1, "NONE"
				}
			} else {
				seen[i] = n
			}
		}
		c := FileColumn{Header: spelt, By: by, Samples: []string{}}
		if i >= 0 {
			c.Column = t.columns[i].Name
		}
		t.at, t.Columns = append(t.at, i), append(t.Columns, c)
	}
	if len(seen) == 0 {
		return BadFile("has no column that is known: its first row must be a header like %s", columnNames(t.columns))
	}
	return nil
}

var squeezer = strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", "*", "", "/", "", "'", "", "’", "", "(", "", ")", "", ":", "", "#",
	"", "&", "")

// squeeze is a header without what people write differently.
func squeeze(header string) string { return squeezer.Replace(api.Fold(header)) }
