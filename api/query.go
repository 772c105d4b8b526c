package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unknownParameter begins what is said of one; those there are follow, as the caller has to spell them.
const unknownParameter = "is no parameter here. "

// unknownParameters names what a query has and the row does not take: a filter with a slip in its name would be no filter.
func (r *Row) unknownParameters(query url.Values) (bad []Detail) {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(bad) < maxDetails && !r.takesParameter(name) {
			bad = append(bad, Wrong(name, unknownParameter+"%s", r.parameters()))
		}
	}
	return bad
}

func (r *Row) takesParameter(name string) bool {
	switch {
	case name == FormatParameter && r.GivesCSV():
		return true
	case name == SinceParameter && r.sync != nil && (r.Method == http.MethodGet || r.Listing != nil):
		return true
	case r.Listing != nil:
		_, filter := bracketed(name, "filters") // which ones there are is checked with their values
		return filter || slices.Contains(listParameters, name)
	case r.takesQuery():
		_, ok := r.plan.keys[name]
		return ok
	}
	return false
}

// takesQuery reports whether the fields of the row's request may be in the query.
func (r *Row) takesQuery() bool { return r.Method == http.MethodGet || r.Upload || r.fromCSV != nil }

func (r *Row) parameters() string {
	names := slices.Clip(listParameters)
	if r.sync != nil {
		names = append(names, SinceParameter)
	}
	switch {
	case r.Listing != nil:
		return "A list takes " + strings.Join(names, ", ") + " and filters[…]"
	case r.takesQuery() && len(r.plan.names) > 0:
		return "There are " + strings.Join(r.plan.names, ", ")
	}
	return "There are none"
}

// listParameters are those of every list, besides its filters.
var listParameters = []string{"page", "limit", "sort[field]", "sort[order]"}

// bindQuery fills a GET's request from plain query names, and notes what does not
// fit. A name that is also in a JSON body is ambiguous.
func bindQuery(plan *bindPlan, v reflect.Value, query url.Values, data json.RawMessage, d *diagnosis) error {
	var inBody map[string]json.RawMessage
	if data != nil {
		_ = json.Unmarshal(data, &inBody) // it decoded into the request already
	}
	for _, name := range plan.names {
		texts, sent := query[name]
		if !sent {
			continue
		}
		if _, twice := sentAs(inBody, name); twice {
			return Malformed("%s is in both the query and the body", name)
		}
		for _, text := range texts {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				return Malformed("%s is not valid text", name)
			}
		}
		if err := setTexts(v.FieldByIndex(plan.keys[name]), texts); err != nil {
			d.details = append(d.details, Wrong(name, "%v", err))
		}
	}
	return nil
}

// setTexts fills one field: a list takes every value, anything else exactly one.
func setTexts(v reflect.Value, texts []string) error {
	if v.Kind() == reflect.Slice && v.Type().Name() == "" {
		for _, part := range strings.Split(strings.Join(texts, ","), ",") {
			item := reflect.New(v.Type().Elem()).Elem()
			if err := setText(item, part); err != nil {
				return err
			}
			v.Set(reflect.Append(v, item))
		}
		return nil
	}
	if len(texts) > 1 {
		return fmt.Errorf("must be given once")
	}
	return setText(v, texts[0])
}

func setText(v reflect.Value, text string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return setText(v.Elem(), text)
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(text)); err != nil {
			if strings.Contains(err.Error(), "UUID") {
				return fmt.Errorf("must be a UUID")
			}
			return err
		}
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("must be true or false")
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("must be a whole number")
		}
		v.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("must be a number")
		}
		v.SetFloat(n)
	default:
		return fmt.Errorf("cannot be given in the query")
	}
	return nil
}
