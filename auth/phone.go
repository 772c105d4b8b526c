package auth

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"homeroom/api"
)

// Phone brings a number to E.164. Spaces, dashes, dots and brackets are how people
// write numbers; anything else, or a number that cannot exist, is refused.
func Phone(text string) (string, error) {
	stripped := strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "").Replace(text)
	invalid := api.InvalidField("phone", "phone must be a number with its country code, like +919812345678")
	if !strings.HasPrefix(stripped, "+") || len(stripped) > 16 {
		return "", invalid
	}
	for _, c := range stripped[1:] {
		if c < '0' || c > '9' {
			return "", invalid
		}
	}
	number, err := phonenumbers.Parse(stripped, "")
	if err != nil || !phonenumbers.IsPossibleNumber(number) {
		return "", invalid
	}
	return phonenumbers.Format(number, phonenumbers.E164), nil
}
