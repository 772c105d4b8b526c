package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// diagnosis is what is wrong with a request's fields, maxDetails of them at the most:
// what is bad beyond that is not looked at. A wrong JSON type is malformed (400); a text
// that is not what it should be, such as a day that does not exist, is invalid (422), and
// so is what breaks a rule.
type diagnosis struct {
	details   []Detail
	malformed bool
}

func (d *diagnosis) refusal() error {
	if !d.malformed {
		return Invalid(d.details...)
	}
	e := newError(400, "", "Some fields have the wrong type")
	e.Details = d.details
	return e
}

// read fills a request from the body's data.
func (d *diagnosis) read(row *Row, rq *request, data json.RawMessage, req any) error {
	if row.Versioned {
		var v struct {
			Version *int `json:"version"`
		}
		if err := d.decode(data, &v); err != nil {
			return err
		}
		rq.version = v.Version
	}
	if err := d.decode(data, req); err != nil {
		return err
	}
	for _, index := range row.plan.changes {
		if err := reflect.ValueOf(req).Elem().FieldByIndex(index).Addr().Interface().(changer).take(data, d); err != nil {
			return err
		}
	}
	return nil
}

// decode fills into from data. Where a field does not fit, it notes every such
// field and fills the rest, so that the rules of the rest can be checked too.
func (d *diagnosis) decode(data json.RawMessage, into any) error {
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	noted := len(d.details)
	v := reflect.ValueOf(into).Elem()
	rest := d.object("", data, v.Type())
	v.SetZero()
	if again := json.Unmarshal(rest, into); again != nil || (len(d.details) == noted && !d.full()) {
		return Malformed("The body does not fit").Because(err)
	}
	return nil
}

var nothing = json.RawMessage("null")

// object notes what does not fit, and returns the object with nulls in its place.
func (d *diagnosis) object(prefix string, data json.RawMessage, t reflect.Type) json.RawMessage {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		d.add(strings.TrimSuffix(prefix, "."), err, t)
		return nothing
	}
	for _, f := range reflect.VisibleFields(t) {
		name := JSONName(f)
		if key, sent := sentAs(fields, name); sent {
			fields[key] = d.value(prefix+key, fields[key], f.Type)
		}
	}
	return marshal(fields)
}

// sentAs finds a field as encoding/json does: by its name, else by its name in other letters.
func sentAs(fields map[string]json.RawMessage, name string) (key string, sent bool) {
	if name == "" {
		return "", false
	}
	if _, sent := fields[name]; sent {
		return name, true
	}
	for key := range fields {
		if strings.EqualFold(key, name) {
			return key, true
		}
	}
	return "", false
}

func (d *diagnosis) value(field string, raw json.RawMessage, t reflect.Type) json.RawMessage {
	if d.full() {
		return nothing
	}
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	if err == nil {
		return raw
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var items []json.RawMessage
	switch {
	case t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return d.object(field+".", raw, t)
	case t.Kind() == reflect.Slice && json.Unmarshal(raw, &items) == nil:
		for i, item := range items {
			items[i] = d.value(fmt.Sprintf("%s[%d]", field, i), item, t.Elem())
		}
		return marshal(items)
	default:
		d.add(field, err, t)
		return nothing
	}
}

// marshal writes what was JSON before.
func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return nothing
	}
	return raw
}

// addUnnamed adds what is wrong with fields that are not named already, nor inside one that is.
func (d *diagnosis) addUnnamed(more []Detail) {
	noted := d.details
	for _, m := range more {
		if d.full() {
			return
		}
		named := slices.ContainsFunc(noted, func(n Detail) bool {
			inside, ok := strings.CutPrefix(m.Field, n.Field)
			return ok && (inside == "" || inside[0] == '.' || inside[0] == '[')
		})
		if !named {
			d.details = append(d.details, m)
		}
	}
}

func (d *diagnosis) full() bool { return len(d.details) >= maxDetails }

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
	d.details = append(d.details, Detail{Field: field, Message: message})
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
