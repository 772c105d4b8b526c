package api

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// Phone is a number in E.164, however its owner wrote it: +919812345678.
type Phone string

// ParsePhone brings a number to E.164. Spaces, dashes, dots and brackets are how
// people write numbers; anything else, or a number that cannot exist, is refused.
func ParsePhone(text string) (Phone, error) {
	stripped := stripPhone(text)
	if !strings.HasPrefix(stripped, "+") || len(stripped) > 16 || !allDigits(stripped[1:]) {
		return "", errPhone
	}
	number, err := phonenumbers.Parse(stripped, "")
	if err != nil || !phonenumbers.IsPossibleNumber(number) {
		return "", errPhone
	}
	return Phone(phonenumbers.Format(number, phonenumbers.E164)), nil
}

func stripPhone(text string) string {
	return strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "").Replace(text)
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

var errPhone = fmt.Errorf("must be a number with its country code, like +919812345678")

// UnmarshalJSON reads a number as people write it. An empty one is none.
func (p *Phone) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	return p.UnmarshalText([]byte(text))
}

// UnmarshalText reads a query parameter.
func (p *Phone) UnmarshalText(b []byte) error {
	*p = ""
	if len(b) == 0 {
		return nil
	}
	parsed, err := ParsePhone(string(b))
	*p = parsed
	return err
}
