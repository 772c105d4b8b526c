package openapi

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
)

// addRules writes a field's validate rules into its schema. A rule that JSON Schema cannot say is an error: clients
// would learn of it only by being refused.
func addRules(property schema, f reflect.StructField) (err error) {
	tag := f.Tag.Get("validate")
	if tag == "" || tag == "-" {
		return nil
	}
	level, t := property, f.Type
	optional := false
	for _, rule := range strings.Split(tag, ",") {
		name, param, _ := strings.Cut(rule, "=")
		param = strings.NewReplacer("0x2C", ",", "0x7C", "|").Replace(param)
		if name == "dive" {
			if optional {
				if err := orEmpty(level); err != nil {
					return err
				}
			}
			optional = false
			if level, t, err = inside(level, t); err != nil {
				return err
			}
			continue
		}
		write, known := documented[name]
		if !known {
			return fmt.Errorf("rule %s cannot be put into the API document", rule)
		}
		if err := write(ruleUse{level, kindOf(t), t, name, param}); err != nil {
			return fmt.Errorf("rule %s cannot be put into the API document: %w", rule, err)
		}
		optional = optional || name == "omitempty" && t.Kind() == reflect.String
	}
	if optional {
		return orEmpty(level)
	}
	return nil
}

// isRequired reports whether a field must be sent.
func (s *schemas) isRequired(f reflect.StructField) bool {
	tag := f.Tag.Get("validate")
	return tag != "-" && s.needed(f.Type, tag)
}

// addValues writes which texts an answer's field can have: those of its enum tag, which ends with a comma where the field
// may be empty, or those that are taken of it.
func addValues(property schema, f reflect.StructField) error {
	level, t := property, f.Type
	if text, ok := f.Tag.Lookup("enum"); ok {
		if t.Kind() == reflect.Slice {
			var err error
			if level, t, err = inside(level, t); err != nil {
				return err
			}
		}
		values, mayBeEmpty := strings.CutSuffix(text, ",")
		err := ruleUse{level, kindOf(t), t, "oneof", strings.ReplaceAll(values, ",", " ")}.oneOf()
		if err == nil && mayBeEmpty {
			err = orEmpty(level)
		}
		return err
	}
	optional := false
	for _, rule := range strings.Split(f.Tag.Get("validate"), ",") {
		name, param, _ := strings.Cut(rule, "=")
		switch name {
		case "dive":
			optional = false
			var err error
			if level, t, err = inside(level, t); err != nil {
				return err
			}
		case "omitempty":
			optional = true
		case "oneof":
			if kindOf(t) != textKind {
				return nil
			}
			if err := (ruleUse{level, textKind, t, name, param}).oneOf(); err != nil {
				return err
			}
			if optional && t.Kind() != reflect.Pointer {
				return orEmpty(level)
			}
		}
	}
	return nil
}

// emptyOr begins the pattern of a text that may be empty.
const emptyOr = "^$|"

const digits = `^[0-9]+$`

// orEmpty lets a text be empty that has a form otherwise: so it is taken, and so it is answered when nobody gave it. A pattern
// says the whole form: of a union (any of a form and no text) generators make a type that their language does not have.
func orEmpty(s schema) error {
	pattern, _ := s["pattern"].(string)
	least, isBounded := s["minLength"]
	switch {
	case isBounded && pattern == "":
		pattern = fmt.Sprintf(`^[\s\S]{%v,}$`, least)
	case isBounded && pattern == digits:
		pattern = fmt.Sprintf(`^[0-9]{%v,}$`, least)
	case isBounded:
		return fmt.Errorf("a text that may be empty has no word for %v characters of the pattern %s", least, pattern)
	}
	delete(s, "minLength")
	switch format := s["format"]; {
	case format == "email" && pattern == "":
		pattern = `^\S+@\S+$`
	case format != nil:
		return fmt.Errorf("a text that may be empty has no word for the format %v: use a pointer", format)
	}
	delete(s, "format")
	if pattern != "" {
		s["pattern"] = emptyOr + pattern
	}
	if values, ok := s["enum"].([]any); ok && !slices.Contains(values, any("")) {
		s["enum"] = append(values, "")
	}
	return nil
}

// needed reports whether leaving the field out is refused, by asking the validator
// itself about an absent value.
func (s *schemas) needed(t reflect.Type, tag string) bool {
	var alone []string
	for _, part := range ownRules(tag) {
		if name, _, _ := strings.Cut(part, "="); part != "" && !strings.HasPrefix(name, "required_") {
			alone = append(alone, part)
		}
	}
	absent := reflect.New(t)
	if len(alone) > 0 {
		if strings.HasPrefix(alone[0], "omit") {
			return false
		}
		if s.kernel.ValidateValue(absent.Elem().Interface(), strings.Join(alone, ",")) != nil {
			return true
		}
	}
	if _, known := wellKnown(t); known || t.Kind() != reflect.Struct {
		return false
	}
	return s.kernel.Validate(absent.Interface()) != nil // it needs something inside
}

// inside moves from a list or map to what it holds.
func inside(s schema, t reflect.Type) (schema, reflect.Type, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if items, ok := s[key].(schema); ok {
			return items, t.Elem(), nil
		}
	}
	return nil, nil, fmt.Errorf("rule dive cannot be put into the API document: %s holds nothing", t)
}

// ownRules are the rules on the field itself, not on what it holds.
func ownRules(tag string) []string {
	parts := strings.Split(tag, ",")
	if i := slices.Index(parts, "dive"); i >= 0 {
		parts = parts[:i]
	}
	return parts
}

// ruleUse is one rule on one value.
type ruleUse struct {
	schema schema
	kind   wireKind
	t      reflect.Type
	name   string
	param  string
}

// wireKind is what a rule sees of a value: the same min means characters, items or
// an amount.
type wireKind int

const (
	otherKind wireKind = iota
	textKind
	numberKind
	listKind
	mapKind
	boolKind
	fixedKind // one value with a form of its own: an id, a day, a moment
)

func kindOf(t reflect.Type) wireKind {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, known := wellKnown(t); known && t.Kind() != reflect.String {
		return fixedKind
	}
	switch t.Kind() {
	case reflect.String:
		return textKind
	case reflect.Slice, reflect.Array:
		return listKind
	case reflect.Map:
		return mapKind
	case reflect.Bool:
		return boolKind
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return numberKind
	}
	return otherKind
}

// documented are the rules the document can express, and how.
var documented = func() map[string]func(ruleUse) error {
	none := func(ruleUse) error { return nil }
	table := map[string]func(ruleUse) error{
		"omitempty": none, "omitnil": none, "omitzero": none,
		"required_without": none, "required_without_all": none, "required_with": none, // conditions of the object
		"required": ruleUse.required,
		"min":      ruleUse.size, "max": ruleUse.size, "len": ruleUse.size,
		"gt": ruleUse.size, "gte": ruleUse.size, "lt": ruleUse.size, "lte": ruleUse.size,
		"oneof":     ruleUse.oneOf,
		"unique":    ruleUse.unique,
		"uuid":      ruleUse.uuid,
		"email":     text("format", "email", "asha@example.org"),
		"e164":      text("pattern", `^\+?[1-9]\d{7,14}$`, "+919812345678"),
		"timezone":  text("pattern", `^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`, "Asia/Kolkata"),
		"number":    text("pattern", digits, ""),
		"latitude":  between(-90, 90),
		"longitude": between(-180, 180),
	}
	for name, pattern := range api.Patterns() {
		table[name] = text("pattern", pattern.String(), patternExamples[name])
		if most, bounded := patternMost[name]; bounded {
			table[name] = func(u ruleUse) error {
				if err := text("pattern", pattern.String(), patternExamples[name])(u); err != nil {
					return err
				}
				u.put("maxLength", most)
				return nil
			}
		}
	}
	return table
}()

// patternMost is how many characters fit each pattern at the most; notblank has no end.
var patternMost = map[string]int{"hhmm": 5, "currency": 3, "code": 31}

// patternExamples keep the documentation page from inventing text that fits.
var patternExamples = map[string]string{"notblank": "text", "name": "text", "hhmm": "08:30", "currency": "INR", "code": "GHS-01"}

// put sets a keyword; a second one of its name stands beside the first.
func (u ruleUse) put(keyword string, v any) {
	if _, taken := u.schema[keyword]; taken {
		also, _ := u.schema["allOf"].([]any)
		u.schema["allOf"] = append(also, schema{keyword: v})
		return
	}
	u.schema[keyword] = v
}

// saysMore drops required's "not empty" before a rule that no empty text meets.
func (u ruleUse) saysMore() {
	if u.schema["minLength"] == 1 {
		delete(u.schema, "minLength")
	}
}

func text(keyword, value, example string) func(ruleUse) error {
	return func(u ruleUse) error {
		if u.kind != textKind {
			return fmt.Errorf("it is for text")
		}
		if keyword == "pattern" {
			u.saysMore()
		}
		u.put(keyword, value)
		if example != "" && u.schema["examples"] == nil {
			u.schema["examples"] = []any{example}
		}
		return nil
	}
}

func between(low, high int) func(ruleUse) error {
	return func(u ruleUse) error {
		if u.kind != numberKind {
			return fmt.Errorf("it is for numbers")
		}
		u.put("minimum", low)
		u.put("maximum", high)
		return nil
	}
}

// required also means not empty, which for a value that is there says more than
// JSON Schema's own word.
func (u ruleUse) required() error {
	if u.t.Kind() == reflect.Pointer {
		return nil
	}
	switch u.kind {
	case textKind:
		pattern, _ := u.schema["pattern"].(string)
		if u.schema["minLength"] == nil && u.schema["enum"] == nil && (pattern == "" || strings.HasPrefix(pattern, emptyOr)) {
			u.put("minLength", 1)
		}
	case numberKind:
		u.put("not", schema{"const": 0})
	case boolKind:
		u.put("const", true)
	}
	return nil
}

func (u ruleUse) uuid() error {
	if u.kind == textKind {
		u.put("format", "uuid")
		return nil
	}
	if u.t == reflect.TypeFor[uuid.UUID]() {
		return nil // its type says so
	}
	return fmt.Errorf("it is for text")
}

func (u ruleUse) unique() error {
	if u.kind != listKind || u.param != "" {
		return fmt.Errorf("only whole items of a list can be unique")
	}
	u.put("uniqueItems", true)
	return nil
}

var words = regexp.MustCompile(`'[^']*'|\S+`)

func (u ruleUse) oneOf() error {
	var values []any
	for _, w := range words.FindAllString(u.param, -1) {
		w = strings.ReplaceAll(w, "'", "")
		switch u.kind {
		case textKind:
			values = append(values, w)
		case numberKind:
			n, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				return err
			}
			values = append(values, n)
		default:
			return fmt.Errorf("it is for text and whole numbers")
		}
	}
	u.saysMore()
	u.put("enum", values)
	return nil
}
