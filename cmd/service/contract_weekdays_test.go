package service_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestContract_DaysOfTheWeek_AreNumberedInOneWay holds every number of a weekday against the guide: the document says which
// day it is in the same words everywhere.
func TestContract_DaysOfTheWeek_AreNumberedInOneWay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	numbers := []string{"dayOfWeek", "weekdays", "weekendDays", "firstDayOfWeek", "days"}
	found := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for name, property := range properties {
				schema, _ := property.(map[string]any)
				items, _ := schema["items"].(map[string]any)
				if !slices.Contains(numbers, name) || schema["type"] != "integer" && items["type"] != "integer" {
					continue
				}
				says, _ := schema["description"].(string)
				isDay := strings.Contains(says, "1 is Monday, 6 Saturday, 7 Sunday") || strings.Contains(says, "1 is Monday, 6 Saturday, 0 Sunday")
				if isDay {
					found[name] = true
				} else if name != "days" { // which may be how many
					t.Errorf("%s says %q, not which day each number is", name, says)
				}
			}
			for _, below := range v {
				walk(below)
			}
		}
	}
	walk(doc)
	for _, name := range numbers {
		if !found[name] {
			t.Errorf("no field %s says which day each number is", name)
		}
	}
}
