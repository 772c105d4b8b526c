package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// shareRepeated moves parameters, requests of lists and answers that several operations have into the
// components. It wants schemas that have their names, from which answers get theirs.
func (d *document) shareRepeated(schemas map[string]map[string]any) {
	parameters := sharing[parameter]{section: "parameters", components: d.common}
	answers := sharing[response]{section: "responses", components: d.responses}
	bodies := sharing[requestBody]{section: "requestBodies", components: d.bodies}
	d.eachOperation(func(op *operation) {
		if b := op.RequestBody; b != nil && b.isList {
			bodies.count(*b, b.Ref, "ListRequest")
		}
		for _, p := range op.Parameters {
			name := camel(p.Name)
			if schemas[name] != nil { // generators put both into one namespace
				name += "Parameter"
			}
			parameters.count(p, p.Ref, name)
		}
		for _, r := range op.Responses {
			answers.count(r.withoutWords(), r.Ref, r.name())
		}
	})
	parameters.choose()
	answers.choose()
	bodies.choose()
	for name, body := range d.bodies { // named: generators make no type of what stands in a shared body
		if !body.isList {
			continue
		}
		schemas[name+"Body"] = body.Content["application/json"].Schema
		d.bodies[name] = requestBody{Required: body.Required, Content: map[string]media{
			"application/json": {Schema: schema{"$ref": "#/components/schemas/" + name + "Body"}}}}
	}
	d.eachOperation(func(op *operation) {
		if b := op.RequestBody; b != nil {
			if ref := bodies.reference(*b); ref != "" {
				op.RequestBody = &requestBody{Ref: ref}
			}
		}
		for i, p := range op.Parameters {
			if ref := parameters.reference(p); ref != "" {
				op.Parameters[i] = parameter{Ref: ref}
			}
		}
		for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
			own := op.Responses[status]
			if ref := answers.reference(own.withoutWords()); ref != "" {
				shared, said := d.responses[path.Base(ref)], own.Description
				if shared.Description == "" {
					shared.Description = said
					d.responses[path.Base(ref)] = shared
				}
				if said == shared.Description {
					said = "" // the component says it
				}
				op.Responses[status] = response{Ref: ref, Description: said}
			}
		}
	})
}

func (d *document) eachOperation(visit func(*operation)) {
	for _, path := range slices.Sorted(maps.Keys(d.paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.paths[path])) {
			visit(d.paths[path][method])
		}
	}
}

// fewestNumbered is how often a part is used that is shared though another has its name: with a number.
const fewestNumbered = 4

// sharing makes components of equal parts of operations. Of different parts with one name
// the most frequent has it; others that are frequent, too, have a number besides, and the rest stays where it is.
type sharing[Part any] struct {
	section    string
	components map[string]Part
	found      map[string]*found[Part] // by the part as JSON
}

type found[Part any] struct {
	part   Part
	name   string
	uses   int
	shared bool
}

// count notes one use of a part that is no reference already.
func (s *sharing[Part]) count(part Part, ref, name string) {
	if ref != "" || name == "" {
		return
	}
	if s.found == nil {
		s.found = map[string]*found[Part]{}
	}
	key := keyOf(part)
	if s.found[key] == nil {
		s.found[key] = &found[Part]{part: part, name: name}
	}
	s.found[key].uses++
}

// choose adds the components. Names that there are already are not given again.
func (s *sharing[Part]) choose() {
	keys := slices.SortedFunc(maps.Keys(s.found), func(a, b string) int {
		if n := s.found[b].uses - s.found[a].uses; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, key := range keys {
		f := s.found[key]
		name := f.name
		for n := 2; s.isTaken(name) && f.uses >= fewestNumbered; n++ {
			name = f.name + strconv.Itoa(n)
		}
		if !s.isTaken(name) && f.uses > 1 {
			f.shared, f.name = true, name
			s.components[name] = f.part
		}
	}
}

func (s *sharing[Part]) isTaken(name string) bool {
	_, taken := s.components[name]
	return taken
}

// reference points at the component of a part; it is "" for one that is not shared.
func (s *sharing[Part]) reference(part Part) string {
	if f := s.found[keyOf(part)]; f != nil && f.shared {
		return "#/components/" + s.section + "/" + f.name
	}
	return ""
}

func keyOf(part any) string {
	text, err := json.Marshal(part)
	if err != nil {
		panic(fmt.Sprintf("a part of the API document is not JSON: %v", err)) // the document itself would not be
	}
	return string(text)
}

// withoutWords is an answer without those that differ between operations which answer alike: a reference says them itself.
func (r response) withoutWords() response {
	r.Description = ""
	return r
}

// envelope are the properties around an answer's record, message among them; nil where there are none.
func (r response) envelope() schema {
	properties, _ := r.Content["application/json"].Schema["properties"].(schema)
	return properties
}

// name is what an answer is called as a component: by the record it has, the file it is, or
// the refusals it may be. It is "" for one that has none of these.
func (r response) name() string {
	if len(r.Content) == 0 {
		return "NoContent"
	}
	content, isJSON := r.Content["application/json"]
	kinds := slices.Sorted(maps.Keys(r.Content))
	data, _ := r.envelope()["data"].(schema)
	record, _ := data["$ref"].(string)
	switch {
	case len(content.Examples) > 0:
		return strings.Join(slices.Sorted(maps.Keys(content.Examples)), "Or")
	case !isJSON:
		return camel(strings.Join(kinds, "-or-"))
	case record == "":
		return ""
	case len(kinds) > 1:
		return path.Base(record) + "OrFile"
	}
	return path.Base(record) + "Answer" // the record's own name is its schema's: generators put both into one namespace
}
