package roster

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

// clean is a cell without what spreadsheets add around it.
func clean(text string) string {
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.TrimFunc(text, unicode.IsSpace)
}

const formulaMarks = "=+-@\t\r"

// Guard keeps a spreadsheet from running a cell as a formula: an apostrophe makes it
// text. unguard takes it off again, so that what was exported can be imported.
func Guard(text string) string {
	if text == "" {
		return text
	}
	if strings.IndexByte(formulaMarks, text[0]) >= 0 || guarded(text) {
		return "'" + text
	}
	return text
}

func unguard(text string) string {
	if guarded(text) {
		return text[1:]
	}
	return text
}

func guarded(text string) bool {
	return len(text) > 1 && text[0] == '\'' && strings.IndexByte(formulaMarks+"'", text[1]) >= 0
}

// anyText takes text of at most so many characters.
func anyText(most int) func(string) (string, error) {
	return func(cell string) (string, error) {
		if len(cell) > most && utf8.RuneCountInString(cell) > most {
			return "", fmt.Errorf("must be at most %d characters", most)
		}
		return cell, nil
	}
}

// oneOf takes one of a few words, whatever its case, or a short form of it.
func oneOf(short map[string]string, words ...string) func(string) (string, error) {
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

func phoneCell(cell string) (string, error) {
	p, err := api.ParsePhone(cell)
	return string(p), err
}

func emailCell(cell string) (string, error) {
	if len(cell) > 254 {
		return "", errors.New("must be an e-mail address")
	}
	a, err := mail.ParseAddress(cell)
	if err != nil || a.Address != cell || !strings.Contains(cell[strings.LastIndexByte(cell, '@'):], ".") {
		return "", errors.New("must be an e-mail address")
	}
	return cell, nil
}

func dateCell(cell string) (string, error) {
	d, err := api.ParseDate(cell)
	if err != nil || d.Year < 1900 || d.Year > 2200 {
		return "", errors.New("must be a date like 2026-11-30")
	}
	return d.String(), nil
}

func numberCell(cell string) (string, error) {
	n, err := strconv.Atoi(cell)
	if err != nil || n < 1 || n > 1_000_000 {
		return "", errors.New("must be a whole number from 1")
	}
	return strconv.Itoa(n), nil
}
