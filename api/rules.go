package api

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-playground/validator/v10"
	"github.com/google/uuid"
)

// rules checks requests by their validate tags.
type rules struct{ v *validator.Validate }

func newRules() *rules {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		if f.Anonymous {
			return embedded
		}
		if name := JSONName(f); name != "" {
			return name
		}
		return f.Tag.Get("path")
	})
	// Types that are one value on the wire are checked as that value.
	v.RegisterCustomTypeFunc(func(f reflect.Value) any { return f.Interface().(Date).text() }, Date{})
	v.RegisterCustomTypeFunc(func(f reflect.Value) any {
		if id := f.Interface().(uuid.UUID); id != uuid.Nil {
			return id.String()
		}
		return ""
	}, uuid.UUID{})
	// The expression of e-mail addresses is a long one: a text that is none by its length alone is not held against it.
	addresses := validator.New()
	if err := v.RegisterValidation("email", func(f validator.FieldLevel) bool {
		return len(f.Field().String()) <= maxEmail && addresses.Var(f.Field().String(), "email") == nil
	}); err != nil {
		panic(err)
	}
	for name, pattern := range patterns {
		if err := v.RegisterValidation(name, func(f validator.FieldLevel) bool { return pattern.MatchString(f.Field().String()) }); err != nil {
			panic(err)
		}
	}
	return &rules{v: v}
}

// maxEmail is as many bytes as the longest address of 254 characters can have.
const maxEmail = 4 * 254

// Patterns are the rules of our own and the regular expression of each.
func Patterns() map[string]*regexp.Regexp { return maps.Clone(patterns) }

// patterns are the rules of our own, each a regular expression so that the
// document can say it too.
var patterns = map[string]*regexp.Regexp{
	"notblank": regexp.MustCompile(`\S`),
	// Names are one line: they are in headers of e-mails.
	"name":     regexp.MustCompile(`^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$`),
	"hhmm":     regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`),
	"currency": regexp.MustCompile(`^[A-Z]{3}$`),
	"code":     regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{1,30}$`),
}

func (d Date) text() string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

// Validate refuses a request, given by its pointer, that breaks a rule of its validate tags.
func (k *Kernel) Validate(req any) error {
	v := reflect.ValueOf(req).Elem()
	details, err := k.rules.broken(req, v, planOf(v.Type()))
	if err == nil && len(details) > 0 {
		err = Invalid(details...)
	}
	return err
}

// ValidateValue refuses a value that breaks a rule of a validate tag.
func (k *Kernel) ValidateValue(value any, tag string) error { return k.rules.v.Var(value, tag) }

// broken names every field that breaks a rule.
func (r *rules) broken(req any, v reflect.Value, plan *bindPlan) ([]Detail, error) {
	if v.Kind() != reflect.Struct {
		return nil, nil
	}
	details, err := r.details(r.v.Struct(req))
	if err != nil {
		return nil, err
	}
	for _, index := range plan.changes {
		value, named := v.FieldByIndex(index).Addr().Interface().(changer).sent()
		bad, err := r.details(r.v.Struct(value))
		if err != nil {
			return nil, err
		}
		for _, d := range bad {
			if top := strings.FieldsFunc(d.Field, func(c rune) bool { return c == '.' || c == '[' }); named[top[0]] {
				details = append(details, d)
			}
		}
	}
	return details, nil
}

// details turns what the validator found into the wire's words.
func (r *rules) details(err error) ([]Detail, error) {
	var fields validator.ValidationErrors
	if err == nil {
		return nil, nil
	}
	if !errors.As(err, &fields) {
		return nil, fmt.Errorf("checking a request: %w", err)
	}
	out := make([]Detail, 0, len(fields))
	for _, f := range fields {
		out = append(out, wrong(wirePath(f), sentence(f)))
	}
	return out, nil
}

// wirePath is the field as the client spelt it: guardians[0].phone. Embedded Go
// structs are invisible on the wire.
func wirePath(f validator.FieldError) string {
	names := strings.Split(f.Namespace(), ".")[1:]
	names = slices.DeleteFunc(names, func(name string) bool { return name == embedded })
	return strings.Join(names, ".")
}

// embedded stands for an embedded struct in a field's path; no field can have the name.
const embedded = "<>"

// sentence says what a rule wants, in words.
func sentence(f validator.FieldError) Phrase {
	name := f.Field()
	list := f.Kind() == reflect.Slice || f.Kind() == reflect.Map
	text := f.Kind() == reflect.String
	switch f.Tag() {
	case "required", "notblank":
		return Say("%s is required", name)
	case "name":
		if strings.TrimSpace(fmt.Sprint(f.Value())) == "" {
			return Say("%s is required", name)
		}
		return Say("%s must be one line", name)
	case "required_without", "required_without_all":
		return Say("%s is required when %s is not given", name, f.Param())
	case "min":
		switch {
		case list:
			return Say("%s must have at least %s items", name, f.Param())
		case text:
			return Say("%s must be at least %s characters", name, f.Param())
		}
		return Say("%s must be at least %s", name, f.Param())
	case "max":
		switch {
		case list:
			return Say("%s must have at most %s items", name, f.Param())
		case text:
			return Say("%s must be at most %s characters", name, f.Param())
		}
		return Say("%s must be at most %s", name, f.Param())
	case "len":
		return Say("%s must have length %s", name, f.Param())
	case "gt":
		return Say("%s must be greater than %s", name, f.Param())
	case "gte":
		return Say("%s must be at least %s", name, f.Param())
	case "lt":
		return Say("%s must be less than %s", name, f.Param())
	case "lte":
		return Say("%s must be at most %s", name, f.Param())
	case "oneof":
		return Say("%s must be one of %s", name, strings.Join(strings.Fields(f.Param()), ", "))
	case "email":
		return Say("%s must be an e-mail address", name)
	case "e164":
		return Say("%s must be a phone number like +919812345678", name)
	case "hhmm":
		return Say("%s must be a time like 08:30", name)
	case "currency":
		return Say("%s must be a currency code like INR", name)
	case "code":
		return Say("%s must be 2 to 31 letters, digits or dashes", name)
	case "timezone":
		return Say("%s must be a time zone like Asia/Kolkata", name)
	case "unique":
		return Say("%s must not repeat an item", name)
	case "number":
		return Say("%s must be digits", name)
	}
	return Say("%s is not valid", name)
}
