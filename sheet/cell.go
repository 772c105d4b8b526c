package sheet

import (
	"errors"
	"fmt"
	"net/mail"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeroom/api"
)

// Clean is a cell without what spreadsheets add around it.
func Clean(text string) string {
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.TrimFunc(text, unicode.IsSpace)
}

// Text takes text of at most so many characters.
func Text(most int) func(string) (string, error) {
	return func(cell string) (string, error) {
		if len(cell) > most && utf8.RuneCountInString(cell) > most {
			return "", fmt.Errorf("must be at most %d characters", most)
		}
		return cell, nil
	}
}

// OneOf takes one of a few words in any case, or a short form of one.
func OneOf(short map[string]string, words ...string) func(string) (string, error) {
	return func(cell string) (string, error) {
		up := strings.ToUpper(cell)
		if long, ok := short[up]; ok {
			return long, nil
		}
		for _, w := range words {
			if up == w {
				return w, nil
			}
		}
		return "", errors.New("must be one of " + strings.Join(words, ", "))
	}
}

// Document is what the columns are called and what their cells must be, in the words by which a wrong one is refused.
func Document(columns []Column) []api.FileColumn {
	wrong := strings.Repeat("?", 4000) // no column takes it
	out := make([]api.FileColumn, len(columns))
	for i, c := range columns {
		var err error
		switch {
		case c.Phone:
			_, err = api.ParsePhoneIn("", wrong)
		case c.Date:
			err = errDate
		default:
			_, err = c.Check(wrong)
		}
		out[i] = api.FileColumn{Name: c.Name, Also: c.Also}
		if err != nil {
			out[i].Rule = err.Error()
		}
	}
	return out
}

// Email takes an e-mail address.
func Email(cell string) (string, error) {
	if len(cell) > 254 {
		return "", errors.New("must be an e-mail address")
	}
	a, err := mail.ParseAddress(cell)
	if err != nil || a.Address != cell || !strings.Contains(cell[strings.LastIndexByte(cell, '@'):], ".") {
		return "", errors.New("must be an e-mail address")
	}
	return cell, nil
}

// Number takes a whole number from 1.
func Number(cell string) (string, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(asciiDigits(cell), ".0"))
	if err != nil || n < 1 || n > 1_000_000 {
		return "", errors.New("must be a whole number from 1")
	}
	return strconv.Itoa(n), nil
}
