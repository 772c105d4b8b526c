package api

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/language"

	"homeroom/tenancy"
)

// PhoneRegion is the country whose people write their numbers at this school without its code: that of the currency, or
// for a currency of many countries that of the locale. Empty: none is known, and every number needs its code.
func PhoneRegion(s *tenancy.School) string {
	known := phonenumbers.GetSupportedRegions()
	if len(s.Currency) == 3 && known[s.Currency[:2]] {
		return s.Currency[:2]
	}
	if tag, err := language.Parse(s.Locale); err == nil {
		if region, sure := tag.Region(); sure == language.Exact && known[region.String()] {
			return region.String()
		}
	}
	return ""
}

// ParsePhoneIn is ParsePhone for people of a region, who write numbers of their own country without its code. Such a
// number must be one that this country gives out: another country's is not taken for it.
func ParsePhoneIn(region, text string) (Phone, error) {
	stripped := stripPhone(text)
	if region == "" || strings.HasPrefix(stripped, "+") || !allDigits(stripped) {
		return ParsePhone(text)
	}
	number, err := phonenumbers.Parse(stripped, region)
	if err != nil || !phonenumbers.IsValidNumber(number) {
		return "", errPhone
	}
	return Phone(phonenumbers.Format(number, phonenumbers.E164)), nil
}

// hasPhones reports whether a request of type t brings phone numbers.
func hasPhones(t reflect.Type, seen map[reflect.Type]bool) bool {
	if fields, change := ChangeOf(t); change {
		return hasPhones(fields, seen)
	}
	switch {
	case t == reflect.TypeFor[Phone]():
		return true
	case seen[t]:
		return false
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
		return hasPhones(t.Elem(), seen)
	case t.Kind() == reflect.Struct:
		seen[t] = true
		for _, f := range reflect.VisibleFields(t) {
			if f.IsExported() && hasPhones(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// withCodes is a body with the region's code at every phone number that lacks one.
func (r *Row) withCodes(region string, body []byte) []byte {
	var fields map[string]json.RawMessage
	if region == "" || json.Unmarshal(body, &fields) != nil || fields["data"] == nil {
		return body
	}
	fields["data"] = withCodes(region, fields["data"], r.Request)
	return marshal(fields)
}

// withCodes is data, to be read into a t, with the region's code at every phone number that lacks one. What is no phone
// number stays as it is: reading it says what is wrong.
func withCodes(region string, data json.RawMessage, t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[Phone]():
		var text string
		if json.Unmarshal(data, &text) != nil || text == "" {
			return data
		}
		phone, err := ParsePhoneIn(region, text)
		if err != nil {
			return data
		}
		return marshal(phone)
	case t.Kind() == reflect.Slice:
		var items []json.RawMessage
		if !hasPhones(t, map[reflect.Type]bool{}) || json.Unmarshal(data, &items) != nil || items == nil {
			return data
		}
		for i := range items {
			items[i] = withCodes(region, items[i], t.Elem())
		}
		return marshal(items)
	case t.Kind() == reflect.Struct:
		var fields map[string]json.RawMessage
		if json.Unmarshal(data, &fields) != nil || fields == nil {
			return data
		}
		for _, f := range reflect.VisibleFields(t) {
			if !f.IsExported() || !hasPhones(f.Type, map[reflect.Type]bool{}) {
				continue
			}
			if shape, change := ChangeOf(f.Type); change { // its fields stand beside the request's own
				if json.Unmarshal(withCodes(region, marshal(fields), shape), &fields) != nil {
					return data
				}
				continue
			}
			if key, sent := sentAs(fields, JSONName(f)); sent {
				fields[key] = withCodes(region, fields[key], f.Type)
			}
		}
		return marshal(fields)
	}
	return data
}
