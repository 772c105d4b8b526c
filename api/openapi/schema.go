package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// schema is a JSON Schema, as OpenAPI 3.1 uses it.
type schema = map[string]any

// Described types say themselves what they look like on the wire. A type with a
// MarshalJSON of its own must be one: nothing else knows.
type Described interface{ JSONSchema() map[string]any }

// schemaUse is one way a type appears: what may be sent and what is answered differ
// in which fields are always there.
type schemaUse struct {
	t         reflect.Type
	input     bool
	versioned bool // takes the record's version besides its own fields
}

// schemas turns Go types into JSON Schemas. Named structs become components; they
// get their names last, when it is known which names would clash.
type schemas struct {
	kernel *api.Kernel // is asked which fields must be sent
	built  map[schemaUse]schema
	refs   map[schemaUse][]schema
}

func newSchemas(k *api.Kernel) *schemas {
	return &schemas{kernel: k, built: map[schemaUse]schema{}, refs: map[schemaUse][]schema{}}
}

// output is a type as it is answered. A type that cannot be described is anything here:
// its row is refused elsewhere.
func (s *schemas) output(t reflect.Type) schema {
	out, _ := s.of(t, schemaUse{})
	return out
}

func (s *schemas) of(t reflect.Type, use schemaUse) (schema, error) {
	if t.Kind() == reflect.Pointer {
		return s.of(t.Elem(), use)
	}
	if out, known := wellKnown(t); known {
		return out, nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.reference(t, use)
	case reflect.Slice, reflect.Array:
		items, err := s.of(t.Elem(), schemaUse{input: use.input})
		return schema{"type": "array", "items": items}, err
	case reflect.Map:
		values, err := s.of(t.Elem(), schemaUse{input: use.input})
		return schema{"type": "object", "additionalProperties": values}, err
	case reflect.Interface:
		return schema{}, nil
	case reflect.Bool:
		return schema{"type": "boolean"}, nil
	case reflect.String:
		return schema{"type": "string"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return schema{"type": "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schema{"type": "integer", "minimum": 0}, nil
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}, nil
	}
	return schema{}, fmt.Errorf("type %s has no form in JSON", t)
}

// wellKnown are the types that are one value on the wire.
func wellKnown(t reflect.Type) (schema, bool) {
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return schema{"type": "string", "format": "uuid"}, true
	case reflect.TypeFor[time.Time]():
		return schema{"type": "string", "format": "date-time"}, true
	case reflect.TypeFor[json.RawMessage]():
		return schema{}, true
	case reflect.TypeFor[[]byte]():
		return schema{"type": "string", "contentEncoding": "base64"}, true
	}
	if d, ok := reflect.New(t).Interface().(Described); ok {
		return d.JSONSchema(), true
	}
	p := reflect.PointerTo(t)
	if p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && !p.Implements(reflect.TypeFor[json.Marshaler]()) {
		return schema{"type": "string"}, true
	}
	return nil, false
}

// reference points at a named struct's component, building it when it is met
// first; a struct without a name is written where it stands.
func (s *schemas) reference(t reflect.Type, use schemaUse) (schema, error) {
	if writesJSON(t) {
		return schema{}, fmt.Errorf("type %s writes its own JSON: give it a JSONSchema method", t)
	}
	use.t = t
	if t.Name() == "" {
		return s.object(use)
	}
	ref := schema{}
	s.refs[use] = append(s.refs[use], ref)
	if _, met := s.built[use]; met {
		return ref, nil
	}
	s.built[use] = schema{} // a type that contains itself ends here
	object, err := s.object(use)
	s.built[use] = object
	return ref, err
}

func writesJSON(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}

// object describes a struct where it stands.
func (s *schemas) object(use schemaUse) (schema, error) {
	return (&objectSchema{schemas: s, use: use}).whole()
}

// nullable lets a value also be null.
func nullable(s schema) schema {
	if t, ok := s["type"].(string); ok {
		s["type"] = []any{t, "null"}
		if enum, ok := s["enum"].([]any); ok {
			s["enum"] = append(append([]any{}, enum...), nil)
		}
	}
	return s
}

// readExample reads an example tag as what the schema says it is.
func readExample(s schema, text string) (any, error) {
	kind := s["type"]
	if several, ok := kind.([]any); ok {
		kind = several[0]
	}
	switch kind {
	case "string", nil:
		return text, nil
	case "integer":
		return strconv.ParseInt(text, 10, 64)
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("example %q is not JSON: %w", text, err)
	}
	return v, nil
}

// omitted reports whether a field that is empty is left out of an answer.
func omitted(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
}
