package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// diagnose finds every field of data that does not fit t, after a decode failed at
// the first. A wrong JSON type is malformed (400); a text that is not what it should
// be, such as a day that does not exist, is invalid (422).
func diagnose(data json.RawMessage, t reflect.Type, first error) error {
	var d diagnosis
	d.object("", data, t)
	if len(d.details) == 0 {
		return Malformed("The body does not fit: %v", first)
	}
	e := Invalid(d.details...)
	if d.malformed {
		e = newError(400, "", "Some fields have the wrong type")
		e.Details = d.details
	}
	return e
}

type diagnosis struct {
	details   []Detail
	malformed bool
}

func (d *diagnosis) object(prefix string, data json.RawMessage, t reflect.Type) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		d.add(strings.TrimSuffix(prefix, "."), err, t)
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		name := jsonName(f)
		raw, sent := fields[name]
		if name == "" || !sent {
			continue
		}
		d.value(prefix+name, raw, f.Type)
	}
}

func (d *diagnosis) value(field string, raw json.RawMessage, t reflect.Type) {
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	if err == nil {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var items []json.RawMessage
	switch {
	case t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		d.object(field+".", raw, t)
	case t.Kind() == reflect.Slice && json.Unmarshal(raw, &items) == nil:
		for i, item := range items {
			d.value(fmt.Sprintf("%s[%d]", field, i), item, t.Elem())
		}
	default:
		d.add(field, err, t)
	}
}

func (d *diagnosis) add(field string, err error, t reflect.Type) {
	var wrongType *json.UnmarshalTypeError
	message := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case errors.As(err, &wrongType):
		d.malformed = true
		message = "must be " + wordFor(t)
		if wrongType.Value == "number" || strings.HasPrefix(wrongType.Value, "number ") {
			if k := t.Kind(); k >= reflect.Int && k <= reflect.Uint64 {
				// A fraction, or a number too large: JSON's type is right, the value is not.
				d.malformed = false
				message = "must be a whole number in range"
			}
		}
	case strings.Contains(message, "UUID"):
		message = "must be a UUID"
	}
	d.details = append(d.details, Detail{field, message})
}

func wordFor(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		if t.Name() != "" {
			return "a string"
		}
		return "an array"
	case reflect.Map:
		return "an object"
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			return "a string"
		}
		return "an object"
	default:
		return "a string"
	}
}
