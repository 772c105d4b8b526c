package roster

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gorm.io/gorm"

	"homeroom/api"
)

const (
	// maxCustomValues bounds what one request says of a record's custom fields, in bytes.
	maxCustomValues = 64 << 10
	// MaxCustomText bounds a text of a custom field, in characters.
	MaxCustomText = 500
)

// customFilter is the filter of lists by the values of custom fields.
const customFilter = "customFields"

var customNumber = regexp.MustCompile(`^-?\d{1,12}(\.\d{1,6})?$`)

// CustomNumber reports whether a text is a number as custom fields keep them.
func CustomNumber(text string) bool { return customNumber.MatchString(text) }

// customChange is what a request says of the custom fields of one record.
type customChange struct {
	subject string
	said    json.RawMessage
	was     json.RawMessage // nil: the record is new
	at      string          // the field's name in refusals, customFields unless given
}

// custom is what the values of a record become, or the refusal that names all that are wrong.
func (ch customChange) custom(c api.Ctx) (json.RawMessage, error) {
	fields, err := CustomFields(c, ch.subject)
	if err != nil {
		return nil, err
	}
	if ch.at == "" {
		ch.at = "customFields"
	}
	return ch.apply(fields)
}

func (ch customChange) apply(fields []CustomField) (json.RawMessage, error) {
	var said, values map[string]json.RawMessage
	switch {
	case len(ch.said) > maxCustomValues:
		return nil, api.InvalidField(ch.at, "customFields must be at most %d bytes", maxCustomValues)
	case len(ch.said) > 0 && json.Unmarshal(ch.said, &said) != nil:
		return nil, api.InvalidField(ch.at, "customFields must be an object")
	}
	if ch.was != nil {
		if err := json.Unmarshal(ch.was, &values); err != nil {
			return nil, fmt.Errorf("reading custom fields: %w", err)
		}
		if said == nil { // null clears
			said = map[string]json.RawMessage{}
			for key := range values {
				said[key] = nil
			}
		}
	}
	if values == nil {
		values = map[string]json.RawMessage{}
	}
	before := maps.Clone(values)
	var bad []api.Detail
	for _, key := range slices.Sorted(maps.Keys(said)) {
		old, has := values[key]
		if has && sameJSON(old, said[key]) {
			continue // a record sent back as it was read: of a retired field, or an option that is gone
		}
		i := slices.IndexFunc(fields, func(f CustomField) bool { return f.Key == key })
		value, message := json.RawMessage(nil), fmt.Sprintf("There is no custom field %.60q", key)
		switch {
		case i >= 0:
			if value, message = fields[i].check(said[key]); message == "" && value != nil && fields[i].Retired {
				message = fields[i].Label + " is retired: it can only be cleared"
			}
		case has && isNull(said[key]):
			message = "" // a value from before there were definitions
		}
		switch {
		case message != "":
			bad = append(bad, api.Detail{Field: fmt.Sprintf("%s.%.60s", ch.at, key), Message: message})
		case value == nil:
			delete(values, key)
		default:
			values[key] = value
		}
	}
	for _, f := range fields {
		_, has := values[f.Key]
		_, had := before[f.Key]
		refused := slices.ContainsFunc(bad, func(d api.Detail) bool { return d.Field == ch.at+"."+f.Key })
		if f.Required && !f.Retired && !has && !refused && (ch.was == nil || had) {
			bad = append(bad, api.Wrong(ch.at+"."+f.Key, "%s is required", f.Label))
		}
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	if ch.was != nil && reflect.DeepEqual(values, before) {
		return ch.was, nil // as Postgres writes it: nothing has changed
	}
	return json.Marshal(values)
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// check is a value in the form it is kept in, nil for none, or what is wrong with it.
func (f CustomField) check(raw json.RawMessage) (value json.RawMessage, wrong string) {
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	if text = strings.TrimSpace(text); isNull(raw) || isText && text == "" {
		return nil, ""
	}
	switch f.Kind {
	case "NUMBER":
		if isText || !CustomNumber(string(raw)) {
			return nil, f.Label + " must be a number of at most 12 digits and 6 decimals"
		}
		return raw, ""
	case "YES_NO":
		if s := string(raw); s != "true" && s != "false" {
			return nil, f.Label + " must be true or false"
		}
		return raw, ""
	case "DATE":
		day, err := api.ParseDate(text)
		if !isText || err != nil {
			return nil, f.Label + " must be a date like 2026-11-15"
		}
		text = day.String()
	case "CHOICE":
		if !isText || !slices.Contains(f.Options, text) {
			return nil, f.Label + " must be one of " + strings.Join(f.Options, ", ")
		}
	default:
		switch {
		case !isText:
			return nil, f.Label + " must be a text"
		case utf8.RuneCountInString(text) > MaxCustomText:
			return nil, fmt.Sprintf("%s must be at most %d characters", f.Label, MaxCustomText)
		case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }):
			return nil, f.Label + " must not have control characters"
		}
	}
	kept, err := json.Marshal(text)
	if err != nil {
		return nil, f.Label + " must be a text"
	}
	return kept, ""
}

// CheckCustomFilter refuses a list that is filtered by custom fields there are not, or by values that they cannot have.
func CheckCustomFilter(c api.Ctx, subject string, l api.ListRequest) error {
	wanted, has := l.Filter(customFilter).(string)
	if !has {
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(wanted), &values); err != nil {
		return fmt.Errorf("reading a filter: %w", err) // it was read before
	}
	fields, err := CustomFields(c, subject)
	if err != nil {
		return err
	}
	var bad []api.Detail
	for _, key := range slices.Sorted(maps.Keys(values)) {
		message := fmt.Sprintf("There is no custom field %.60q", key)
		if i := slices.IndexFunc(fields, func(f CustomField) bool { return f.Key == key }); i >= 0 {
			value, wrong := fields[i].check(values[key])
			if message = wrong; wrong == "" && value == nil {
				message = fields[i].Label + " needs a value"
			}
		}
		if message != "" {
			bad = append(bad, api.Detail{Field: "filters." + customFilter, Message: message})
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// customColumns are the columns that custom fields are in the file of a list.
func customColumns(subject string) func(db *gorm.DB) ([]api.MemberColumn, error) {
	return func(db *gorm.DB) (out []api.MemberColumn, err error) {
		err = db.Table("custom_field").Select("key, label").Where("applies_to = ? and in_list and not retired", subject).
			Order("position, id").Scan(&out).Error
		if err != nil {
			return nil, fmt.Errorf("reading custom fields: %w", err)
		}
		return out, nil
	}
}

// impersonal is what the custom fields of an erased person keep: what the school says is not personal.
func impersonal(subject string) string {
	return `coalesce((select jsonb_object_agg(v.key, v.value) from jsonb_each(x.custom_fields) v
		join custom_field f on f.applies_to = '` + subject + `' and f.key = v.key and not f.personal), '{}')`
}
