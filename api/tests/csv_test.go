package api_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// csvLines are the lines of a list's file, its head first.
func csvLines(t *testing.T, c *testkit.Client, path string) [][]string {
	t.Helper()
	a := c.Call(t, "GET", path, nil)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(a.Body), "\xEF\xBB\xBF"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestCSV_LongList_IsWholeAndInOrder(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	var names []string
	for i := range 1203 {
		names = append(names, fmt.Sprintf("Class %04d", i))
	}
	addClasses(t, s, names...)
	lines := csvLines(t, s.As(t, api.SchoolAdmin), "/school-admin/class/list?format=csv&limit=10&sort[field]=name&sort[order]=desc")
	if len(lines) != 1204 {
		t.Fatalf("%d lines, want a head and 1203", len(lines))
	}
	for i, line := range lines[1:] {
		if want := names[len(names)-1-i]; line[0] != want {
			t.Fatalf("line %d is %q, want %q", i+1, line[0], want)
		}
	}
}

func TestCSV_HasTheListsFilters(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	addClasses(t, s, "One", "Two")
	lines := csvLines(t, s.As(t, api.SchoolAdmin), "/school-admin/class/list?format=csv&filters[search]=tw")
	if len(lines) != 2 || lines[1][0] != "Two" {
		t.Errorf("lines %v", lines)
	}
}

func TestCSV_AFormula_IsText(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	addClasses(t, s, `=HYPERLINK("http://example.org")`)
	lines := csvLines(t, s.As(t, api.SchoolAdmin), "/school-admin/class/list?format=csv")
	if got := lines[1][0]; !strings.HasPrefix(got, "'=") {
		t.Errorf("the cell is %q", got)
	}
}

func TestCSV_EmptyList_IsAHead(t *testing.T) {
	t.Parallel()
	lines := csvLines(t, testkit.NewSchool(t).As(t, api.SchoolAdmin), "/school-admin/class/list?format=csv")
	if len(lines) != 1 || lines[0][0] != "Name" {
		t.Errorf("lines %v", lines)
	}
}

func TestCSV_UnknownFormat_IsRefused(t *testing.T) {
	t.Parallel()
	f := testkit.NewSchool(t).As(t, api.SchoolAdmin).Refuses(t, "GET", "/school-admin/class/list?format=xml", nil, 422, "")
	if got := fieldsOf(f.Details); got != "format" {
		t.Errorf("details name %s", got)
	}
}

func TestCSV_AnId_IsTheNameOfItsRecord(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	s.Seat(t, "Seven")
	lines := csvLines(t, s.As(t, api.SchoolAdmin), "/school-admin/division/list?format=csv")
	for i, label := range lines[0] {
		if label == "Class" && lines[1][i] == "Seven" {
			return
		}
	}
	t.Errorf("no class Seven in %v", lines)
}
