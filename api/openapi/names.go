package openapi

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"homeroom/api"
)

var errorType = reflect.TypeFor[api.ErrorBody]()

// codeName is the component that holds all codes of refusals.
const codeName = "ErrorCode"

// checkOwnNames refuses a record with a field of its own name that has values: generators make a class of these inside the record's,
// where its name then means the inner one.
func checkOwnNames(schemas map[string]map[string]any) error {
	var problems []error
	for _, record := range slices.Sorted(maps.Keys(schemas)) {
		properties, _ := schemas[record]["properties"].(schema)
		for field, of := range properties {
			if s, isSchema := of.(schema); isSchema && s["enum"] != nil && camel(field) == record {
				problems = append(problems, fmt.Errorf("type %s has a field %s with values of its own: name the type otherwise", record, field))
			}
		}
	}
	return errors.Join(problems...)
}

// components names every schema that is referred to, and points the references at it.
func (s *schemas) components() (map[string]map[string]any, error) {
	names := s.names()
	out := map[string]map[string]any{}
	owner := map[string]reflect.Type{}
	for use, name := range names {
		if _, taken := out[name]; taken {
			return nil, fmt.Errorf("types %s and %s would both be documented as %s: rename one", owner[name], use.t, name)
		}
		out[name], owner[name] = s.built[use], use.t
		for _, ref := range s.refs[use] {
			ref["$ref"] = "#/components/schemas/" + name
		}
	}
	return out, nil
}

// names gives each use the plainest name that is its alone: its own, then with its
// package. Requests are distinguished from answers only where a type is both.
func (s *schemas) names() map[schemaUse]string {
	types := map[string]map[reflect.Type]bool{}
	for use := range s.built {
		name := plainName(use.t)
		if types[name] == nil {
			types[name] = map[reflect.Type]bool{}
		}
		types[name][use.t] = true
	}
	out := map[schemaUse]string{}
	for use := range s.built {
		name := plainName(use.t)
		if len(types[name]) > 1 {
			name = camel(path.Base(use.t.PkgPath())) + name
		}
		_, answered := s.built[schemaUse{t: use.t}]
		_, unversioned := s.built[schemaUse{t: use.t, input: true}]
		if use.versioned && unversioned {
			name = "Versioned" + name
		}
		if use.input && answered {
			name += "Input"
		}
		out[use] = name
	}
	return out
}

// localType is how the compiler tells types of the same name inside functions apart.
var localType = regexp.MustCompile(`·\d+`)

// plainName is a type's name as a client's developer would say it: Page[ClassView]
// is a ClassViewPage.
func plainName(t reflect.Type) string {
	switch t {
	case errorType:
		return "Error"
	case reflect.TypeFor[api.Detail]():
		return "ErrorDetail"
	}
	return plain(localType.ReplaceAllString(t.Name(), ""))
}

func plain(name string) string {
	outer, inner, generic := strings.Cut(name, "[")
	outer = camel(outer[strings.LastIndexAny(outer, "./")+1:])
	if !generic {
		return outer
	}
	var out string
	for _, arg := range arguments(strings.TrimSuffix(inner, "]")) {
		out += plain(arg)
	}
	return out + outer
}

// arguments splits a generic type's arguments at the commas that are its own.
func arguments(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, list[start:i])
				start = i + 1
			}
		}
	}
	return append(out, list[start:])
}

// camel joins words that dashes, slashes and the like keep apart: school-admin is SchoolAdmin.
func camel(text string) string {
	var out []rune
	up := true
	for _, c := range text {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			up = true
			continue
		}
		if up {
			c, up = unicode.ToUpper(c), false
		}
		out = append(out, c)
	}
	return string(out)
}
