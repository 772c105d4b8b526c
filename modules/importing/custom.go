package importing

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/sheet"
)

// customFields are the school's own fields that a file has columns for, after all others.
type customFields []roster.CustomField

func readCustomFields(c api.Ctx, subject string) (customFields, error) {
	all, err := roster.CustomFields(c, subject)
	return slices.DeleteFunc(all, func(f roster.CustomField) bool { return f.Retired }), err
}

// columns are those of the file: a field's is found by its label, where no other column has that name.
func (fields customFields) columns(others []sheet.Column) []sheet.Column {
	out := slices.Clone(others)
	for _, f := range fields {
		col := sheet.Column{Name: customName(f), Label: f.Label, Also: []string{f.Label}, Date: f.Kind == "DATE"}
		switch f.Kind {
		case "NUMBER":
			col.Check = checkNumber
		case "YES_NO":
			col.Check = yesOrNo
		case "CHOICE":
			col.Check = checkChoice(f.Options)
		case "TEXT":
			col.Check = sheet.Text(roster.MaxCustomText)
		}
		out = append(out, col)
	}
	return out
}

// customName is what a field's column is called in mappings and reports. It stays when the field is renamed.
func customName(f roster.CustomField) string { return "customFields." + f.Key }

var yesOrNo = sheet.OneOf(map[string]string{"YES": "true", "Y": "true", "TRUE": "true", "1": "true", "हाँ": "true", "हां": "true",
	"نعم": "true", "NDIYO": "true", "NO": "false", "N": "false", "FALSE": "false", "0": "false", "नहीं": "false", "لا": "false",
	"HAPANA": "false"}, "YES", "NO")

func checkNumber(cell string) (string, error) {
	if !roster.CustomNumber(cell) {
		return "", errors.New("must be a number of at most 12 digits and 6 decimals")
	}
	return cell, nil
}

func checkChoice(options []string) func(string) (string, error) {
	return func(cell string) (string, error) {
		for _, o := range options {
			if api.Fold(o) == api.Fold(cell) {
				return o, nil
			}
		}
		return "", errors.New("must be one of " + strings.Join(options, ", "))
	}
}

// lay lays a row's cells over the values a record has, nil for a new one. An empty cell leaves what is there.
func (fields customFields) lay(row int, cells []string, was string, found *sheet.Problems) (values string, changed bool) {
	isNew := was == ""
	if isNew {
		was = "{}"
	}
	kept := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(was), &kept); err != nil {
		found.Add(row, "", "the record's custom fields cannot be read")
		return was, false
	}
	for i, f := range fields {
		cell := cells[i]
		if cell == "" {
			if f.Required && isNew {
				found.Add(row, customName(f), "is required")
			}
			continue
		}
		value := json.RawMessage(cell)
		if f.Kind != "NUMBER" && f.Kind != "YES_NO" {
			value, _ = json.Marshal(cell) // a text always can be
		}
		if customCell(kept[f.Key]) != customCell(value) {
			kept[f.Key], changed = value, true
		}
	}
	if !changed {
		return was, false
	}
	out, err := json.Marshal(kept)
	if err != nil {
		found.Add(row, "", "the custom fields cannot be written")
		return was, false
	}
	return string(out), true
}

// customCell is a value as a file has it.
func customCell(value json.RawMessage) string {
	var text string
	switch {
	case len(value) == 0 || json.Unmarshal(value, &text) == nil:
		return sheet.Clean(text)
	case string(value) == "true":
		return "Yes"
	case string(value) == "false":
		return "No"
	}
	return string(value)
}

// auditCustom adds what was and is of custom fields to an entry of the audit log, where they differ.
func auditCustom(old, now string, was, is map[string]any) {
	if old == now || old == "" && now == "{}" {
		return
	}
	is["customFields"] = json.RawMessage(now)
	if old != "" {
		was["customFields"] = json.RawMessage(old)
	}
}

// fill writes the values of a record into the cells of its row.
func (fields customFields) fill(values string, cells []string) error {
	kept := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(values), &kept); err != nil {
		return fmt.Errorf("reading custom fields: %w", err)
	}
	for i, f := range fields {
		cells[i] = customCell(kept[f.Key])
	}
	return nil
}
