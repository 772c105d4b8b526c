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
	conditions []any // rules that look at several fields
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
	property, err := o.schemas.of(f.Type, schemaUse{input: o.use.input})
	if err != nil {
		return err
	}
	required := !omitted(f)
	if o.use.input {
		if required, err = o.schemas.addRules(property, f); err != nil {
			return err
		}
		required = required && must
		if must {
			o.conditions = append(o.conditions, fieldConditions(parent, f, name)...)
		}
	} else if err := addValues(property, f); err != nil {
		return err
	}
	if f.Type.Kind() == reflect.Pointer && (o.use.input && !required || !o.use.input && !omitted(f)) {
		property = o.orNull(f.Type.Elem(), property)
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

// orNull lets a property be null. A reference must stay alone for that.
func (o *objectSchema) orNull(t reflect.Type, property schema) schema {
	if _, known := wellKnown(t); !known && t.Kind() == reflect.Struct && t.Name() != "" {
		return schema{"anyOf": []any{property, schema{"type": "null"}}}
	}
	return nullable(property)
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
