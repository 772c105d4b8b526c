package openapi

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"homeroom/api"
)

// objectSchema gathers one struct's properties.
type objectSchema struct {
	schemas    *schemas
	use        schemaUse
	properties schema
	required   []string
	conditions []any         // rules that look at several fields
	outer      *objectSchema // in which it is written in place; nil: it is a component, or the whole
}

// whole describes the struct's fields; those of embedded structs are its own. Conditions are twice negated, which changes nothing
// of them: beside an allOf of conditions, generators do not see the fields.
func (o *objectSchema) whole() (schema, error) {
	o.properties = schema{}
	if err := o.fields(o.use.t, true); err != nil {
		return schema{}, err
	}
	if o.use.versioned && o.properties["version"] == nil {
		o.properties["version"] = schema{
			"type": "integer", "minimum": 1, "examples": []any{1},
			"description": "The version of the record you have before you. A stale one is answered 409; without it the last write wins.",
		}
	}
	out := schema{"type": "object"}
	if len(o.properties) > 0 {
		out["properties"] = o.properties
	}
	if len(o.required) > 0 {
		out["required"] = o.required
	}
	if len(o.conditions) > 0 {
		out["not"] = schema{"not": schema{"allOf": o.conditions}}
	}
	return out, nil
}

// fields adds a struct's fields. With must unset none of them is required: they
// are a Change, of which a caller names any.
func (o *objectSchema) fields(t reflect.Type, must bool) error {
	for _, embedded := range []bool{false, true} { // a field hides an embedded one of its name
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous != embedded {
				continue
			}
			if err := o.field(t, f, must); err != nil {
				return fmt.Errorf("field %s: %w", fieldName(f), err)
			}
		}
	}
	sort.Strings(o.required)
	return nil
}

func (o *objectSchema) field(parent reflect.Type, f reflect.StructField, must bool) error {
	if fields, isChange := api.ChangeOf(f.Type); isChange {
		return o.fields(fields, false)
	}
	name := api.JSONName(f)
	switch {
	case f.Tag.Get("path") != "" || f.Tag.Get("json") == "-":
		return nil
	case f.Anonymous && name == "":
		return o.embedded(f.Type, must)
	case !f.IsExported():
		return nil
	case name == "" && o.use.input:
		return fmt.Errorf("it has neither a json nor a path name, so a client could set it by its Go name")
	case name == "":
		name = f.Name
	}
	if o.properties[name] != nil {
		return nil
	}
	required := !omitted(f)
	if o.use.input {
		required = must && o.schemas.isRequired(f)
	}
	property, err := o.property(f, f.Type.Kind() == reflect.Pointer && o.use.input != required)
	if err != nil {
		return err
	}
	if o.use.input && must {
		o.conditions = append(o.conditions, fieldConditions(parent, f, name)...)
	}
	if err := annotate(property, f); err != nil {
		return err
	}
	o.properties[name] = property
	if required {
		o.required = append(o.required, name)
	}
	return nil
}

func (o *objectSchema) embedded(t reflect.Type, must bool) error {
	if t.Kind() == reflect.Pointer {
		t, must = t.Elem(), false
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return o.fields(t, must)
}

// property is a field's value, of which a caller may send, or is answered, null where it may be that.
func (o *objectSchema) property(f reflect.StructField, mayBeNull bool) (property schema, err error) {
	if mayBeNull && isComponent(f.Type.Elem()) {
		property, err = o.inPlace(f.Type.Elem())
	} else {
		property, err = o.schemas.of(f.Type, schemaUse{input: o.use.input})
	}
	if err == nil && o.use.input {
		err = addRules(property, f)
	} else if err == nil {
		err = addValues(property, f)
	}
	if mayBeNull {
		property = nullable(property)
	}
	return property, err
}

func isComponent(t reflect.Type) bool {
	_, known := wellKnown(t)
	return !known && t.Kind() == reflect.Struct && t.Name() != ""
}

// inPlace writes out a record that may be null: a reference could be that only in a union of the component and null, of which
// generators make a type that their language does not have.
func (o *objectSchema) inPlace(t reflect.Type) (schema, error) {
	if writesJSON(t) {
		return nil, fmt.Errorf("type %s writes its own JSON: give it a JSONSchema method", t)
	}
	for outer := o; outer != nil; outer = outer.outer {
		if outer.use.t == t {
			return nil, fmt.Errorf("type %s may have itself or null in it: leave it out where there is none", t)
		}
	}
	inner := &objectSchema{schemas: o.schemas, use: schemaUse{t: t, input: o.use.input}, outer: o}
	return inner.whole()
}

// annotate adds what the author of the field says about it.
func annotate(property schema, f reflect.StructField) error {
	if doc := f.Tag.Get("doc"); doc != "" {
		property["description"] = doc
	}
	if f.Tag.Get("members") == "any" { // they are the school's own, not the document's
		property["type"], property["additionalProperties"] = []string{"object", "null"}, true
	}
	if text, ok := f.Tag.Lookup("example"); ok {
		v, err := readExample(property, text)
		if err != nil {
			return err
		}
		property["examples"] = []any{v}
	}
	return nil
}

func fieldName(f reflect.StructField) string {
	if name := api.JSONName(f); name != "" {
		return name
	}
	if name := f.Tag.Get("path"); name != "" {
		return name
	}
	return f.Name
}

// fieldConditions are the rules that make a field depend on its neighbours.
func fieldConditions(parent reflect.Type, f reflect.StructField, name string) []any {
	var out []any
	for _, part := range ownRules(f.Tag.Get("validate")) {
		rule, param, _ := strings.Cut(part, "=")
		var others []string
		for _, other := range strings.Fields(param) {
			if o, ok := parent.FieldByName(other); ok {
				others = append(others, fieldName(o))
			}
		}
		self := schema{"required": []string{name}}
		switch rule {
		case "required_without": // any of them missing
			out = append(out, schema{"anyOf": []any{self, schema{"required": others}}})
		case "required_without_all": // all of them missing
			some := []any{self}
			for _, other := range others {
				some = append(some, schema{"required": []string{other}})
			}
			out = append(out, schema{"anyOf": some})
		case "required_with": // any of them given
			for _, other := range others {
				out = append(out, schema{"anyOf": []any{self, schema{"not": schema{"required": []string{other}}}}})
			}
		}
	}
	return out
}
