package api

import (
	"encoding/json"
	"reflect"
)

// Change is the part of a record that a PUT names. Embed it in the request; the
// handler lays it over the present record, so that what was not named stays.
type Change[T any] struct {
	raw   json.RawMessage
	value T
	named map[string]bool
}

// changer is how the kernel fills and checks a Change without knowing its T.
type changer interface {
	take(json.RawMessage, *diagnosis) error
	sent() (value any, named map[string]bool)
	shape() reflect.Type
}

// ChangeOf is the type of the fields that a Change names, if t is one.
func ChangeOf(t reflect.Type) (fields reflect.Type, isChange bool) {
	if c, ok := reflect.New(t).Interface().(changer); ok {
		return c.shape(), true
	}
	return nil, false
}

// Apply lays the named fields over to. Pointers and lists are made anew: a copy that
// was taken of the record before keeps what it had.
func (c Change[T]) Apply(to *T) error {
	if c.raw == nil {
		return nil
	}
	for _, f := range reflect.VisibleFields(c.shape()) {
		switch f.Type.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			if !f.Anonymous && c.named[JSONName(f)] {
				reflect.ValueOf(to).Elem().FieldByIndex(f.Index).SetZero()
			}
		}
	}
	return json.Unmarshal(c.raw, to)
}

// Names reports whether the caller named the field.
func (c Change[T]) Names(field string) bool { return c.named[field] }

func (c *Change[T]) take(data json.RawMessage, d *diagnosis) error {
	if err := d.decode(data, &c.value); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return Malformed("The body must be a JSON object")
	}
	c.raw, c.named = data, make(map[string]bool, len(fields))
	cleared := false
	for _, f := range reflect.VisibleFields(c.shape()) {
		key, sent := sentAs(fields, JSONName(f))
		if !sent {
			continue
		}
		c.named[JSONName(f)] = true
		if string(fields[key]) == "null" {
			text := d.clear(key, f.Type)
			cleared = cleared || text != nil
			fields[key] = text
		}
	}
	if cleared {
		c.raw = marshal(fields)
	}
	return nil
}

// clear is what null means in a change: a text becomes empty, which its rules may refuse, and
// what can be absent becomes absent. A number, a flag or an object has no such value.
func (d *diagnosis) clear(field string, t reflect.Type) (text json.RawMessage) {
	switch t.Kind() {
	case reflect.String:
		return json.RawMessage(`""`)
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
	default:
		d.details = append(d.details, Wrong(field, "%s cannot be null", field))
	}
	return nil
}

func (c *Change[T]) sent() (any, map[string]bool) { return &c.value, c.named }

func (c *Change[T]) shape() reflect.Type { return reflect.TypeFor[T]() }
