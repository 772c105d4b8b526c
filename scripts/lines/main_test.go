package main

import (
	"strings"
	"testing"
)

func TestLines_TooLong_AreFoundButForTaggedFields(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 140)
	for line, want := range map[string]int{
		"// " + long:                    1,
		"\t" + strings.Repeat("é", 138): 0,
		"	Name string `json:\"name\" doc:\"" + long + "\"`": 0,
		"	sql := `select " + long + "`":                     1,
	} {
		if got := len(tooLong("p.go", "package p\n"+line+"\n")); got != want {
			t.Errorf("%.30s…: %d found, want %d", line, got, want)
		}
	}
}
