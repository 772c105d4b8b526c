package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"homeroom/api"
)

// listParameters are the generic list request in the query.
func listParameters(l *api.Listing) []parameter {
	var out []parameter
	add := func(name, says string, s schema) {
		s["description"] = says
		out = append(out, parameterOf(name, inQuery, false, s))
	}
	page, limit := pageSchemas()
	add("page", "Which page, from 1.", page)
	add("limit", "How many on a page.", limit)
	for _, name := range slices.Sorted(maps.Keys(l.Filters)) {
		f := l.Filters[name]
		add("filters["+name+"]", filterWords(f), filterSchema(f))
	}
	field, order := sortSchemas(l)
	add("sort[field]", "What to sort by. Equals are in a stable order.", field)
	add("sort[order]", "Which way.", order)
	return out
}

// listBody is the same request as the POST twin takes it. What its filters keep, the GET's parameters say.
func listBody(l *api.Listing) schema {
	filters := schema{}
	for name, f := range l.Filters {
		filters[name] = filterSchema(f)
	}
	page, limit := pageSchemas()
	field, order := sortSchemas(l)
	return schema{"type": "object", "properties": schema{
		"page":    page,
		"limit":   limit,
		"filters": schema{"type": "object", "properties": filters, "additionalProperties": false},
		"sort":    schema{"type": "object", "properties": schema{"field": field, "order": order}},
	}}
}

func pageSchemas() (page, limit schema) {
	return schema{"type": "integer", "minimum": 1, "maximum": api.MaxPage, "default": 1},
		schema{"type": "integer", "minimum": 1, "maximum": api.MaxLimit, "default": api.DefaultLimit}
}

func sortSchemas(l *api.Listing) (field, order schema) {
	var names []any
	for _, name := range slices.Sorted(maps.Keys(l.Sorts)) {
		names = append(names, name)
	}
	way := "asc"
	if strings.HasPrefix(l.Default, "-") {
		way = "desc"
	}
	return schema{"type": "string", "enum": names, "default": strings.TrimPrefix(l.Default, "-")},
		schema{"type": "string", "enum": []any{"asc", "desc"}, "default": way}
}

// filterSchema is the value a filter takes.
func filterSchema(f api.Filter) schema {
	switch f.Kind {
	case "uuid", "date", "date-time":
		return schema{"type": "string", "format": f.Kind}
	case "boolean", "integer":
		return schema{"type": f.Kind}
	case "search":
		return schema{"type": "string", "maxLength": api.MaxFilter}
	}
	if f.Enum == nil {
		return schema{"type": "string", "maxLength": api.MaxFilter}
	}
	var values []any
	for _, v := range f.Enum {
		values = append(values, v)
	}
	return schema{"type": "string", "enum": values}
}

// filterWords say what a filter keeps.
func filterWords(f api.Filter) string {
	if f.Words {
		return fmt.Sprintf("Words to find anywhere in the record's words, in any case; at most %d.", api.MaxWords)
	}
	if f.Kind == "search" {
		return "Text to find anywhere in the record's words, in any case."
	}
	if f.Kind == "object" {
		return "A JSON object: only records that have all its members."
	}
	if f.Kind != "date" && f.Kind != "date-time" {
		return "Only records with this value." // whatever else its condition compares
	}
	for _, c := range []struct{ comparison, says string }{
		{" >= ", "Only from this one on."}, {" <= ", "Only up to this one."},
		{" > ", "Only after this one."}, {" < ", "Only before this one."},
	} {
		if strings.Contains(f.Condition(), c.comparison) {
			return c.says
		}
	}
	return "Only records with this value."
}
