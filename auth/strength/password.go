// Package strength says which passwords and PINs are refused because they are guessed first. It hashes and stores none.
package strength

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"homeroom/api"
)

//go:embed common_passwords.txt
var commonPasswords string

var common = func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(commonPasswords) {
		out[strings.TrimSpace(line)] = true
	}
	return out
}()

// MinPassword is the shortest password of a web account, in characters.
const MinPassword = 12

// CheckPassword returns what is wrong with a password that is set on the command line.
func CheckPassword(password, email string) error {
	if n := len([]rune(password)); n < MinPassword {
		return fmt.Errorf("the password has %d characters: use at least %d", n, MinPassword)
	}
	var refused *api.Error
	if errors.As(Password("the password", password, email), &refused) {
		return errors.New(refused.Details[0].Message)
	}
	return nil
}

// Password refuses passwords that are guessed first: common ones, one that repeats the
// e-mail, or a few characters repeated. Length is the field's own rule.
func Password(field, password, email string) error {
	low := strings.ToLower(strings.TrimSpace(password))
	name, _, _ := strings.Cut(strings.ToLower(email), "@")
	distinct := map[rune]bool{}
	for _, c := range low {
		distinct[c] = true
	}
	switch {
	case common[low] || common[strings.TrimRight(low, "!.?1")]:
		return api.InvalidField(field, "%s is one of the most common passwords", field)
	case low == strings.ToLower(email) || (len(name) >= 4 && strings.Trim(low, "0123456789!.?") == name):
		return api.InvalidField(field, "%s must not be your e-mail", field)
	case len(distinct) < 5:
		return api.InvalidField(field, "%s repeats too few characters", field)
	}
	return nil
}
