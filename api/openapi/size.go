package openapi

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// sizeWords are the keywords for the size of each kind of value.
var sizeWords = map[wireKind]struct{ least, most string }{
	textKind: {"minLength", "maxLength"},
	listKind: {"minItems", "maxItems"},
	mapKind:  {"minProperties", "maxProperties"},
}

// size writes min, max, len and the comparisons: characters of a text, items of a
// list, or the amount of a number.
func (u ruleUse) size() error {
	if u.kind == numberKind {
		return u.amount()
	}
	words, known := sizeWords[u.kind]
	if !known {
		return fmt.Errorf("a %s has no size", u.t)
	}
	n, err := strconv.Atoi(u.param)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", u.param)
	}
	switch u.name {
	case "min", "gte":
		u.atLeast(words.least, n)
	case "gt":
		u.atLeast(words.least, n+1)
	case "max", "lte":
		u.put(words.most, n)
	case "lt":
		u.put(words.most, n-1)
	case "len":
		u.atLeast(words.least, n)
		u.put(words.most, n)
	}
	return nil
}

// atLeast raises the lower bound that required has set.
func (u ruleUse) atLeast(keyword string, n int) {
	if u.schema[keyword] == 1 && n >= 1 {
		delete(u.schema, keyword)
	}
	u.put(keyword, n)
}

func (u ruleUse) amount() error {
	amount, err := strconv.ParseFloat(u.param, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", u.param)
	}
	keyword := map[string]string{
		"min": "minimum", "gte": "minimum", "max": "maximum", "lte": "maximum",
		"gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "len": "const",
	}[u.name]
	n := json.Number(u.param)
	if u.schema["minimum"] == 0 && keyword == "minimum" {
		delete(u.schema, keyword) // an unsigned type's own
	}
	if keyword == "minimum" && amount > 0 || keyword == "exclusiveMinimum" && amount >= 0 {
		delete(u.schema, "not") // required's "not zero" is said already
	}
	u.put(keyword, n)
	return nil
}
