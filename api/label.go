package api

import (
	"regexp"
	"strings"
	"unicode"
)

// labels are the words on screen for fields whose name alone does not give them.
var labels = map[string]string{
	"admissionNumber": "Admission no.", "rollNumber": "Roll no.", "receiptNumber": "Receipt no.", "refundNumber": "Refund no.",
	"invoiceNumber": "Invoice no.", "accessionNumber": "Accession no.", "licenceNumber": "Licence no.", "busNumber": "Bus",
	"registrationNumber": "Registration no.", "referenceNumber": "Reference", "employeeCode": "Code", "employeeType": "Staff type",
	"email": "E-mail", "isbn": "ISBN", "ip": "IP address", "createdAt": "Added", "maxMarks": "Full marks", "passMarks": "Marks to pass",
	"paymentMode": "Method", "daysPerYear": "Days a year", "otp": "Code",
	"lat": "Latitude", "lng": "Longitude", "occurredAt": "When",
	"dateOfBirth": "Date of birth", "url": "Address", "pingMs": "Answers in (ms)", "sizeBytes": "Size (bytes)",
	"databaseBytes": "Size (bytes)", "lagBytes": "Standby behind (bytes)", "walLevel": "WAL level", "sms": "SMS",
}

// Label is what people call a field, by its name on the wire: firstName is "First name".
func Label(name string) string {
	if said, known := labels[name]; known {
		return said
	}
	if thing, ok := strings.CutPrefix(name, "is"); ok && thing != "" && unicode.IsUpper(rune(thing[0])) {
		name = strings.ToLower(thing[:1]) + thing[1:]
	}
	// What is named beside its id is called as the thing itself: studentName is "Student".
	if thing, ok := strings.CutSuffix(name, "Name"); ok && thing != "first" && thing != "last" && thing != "" {
		name = thing
	}
	if thing, ok := strings.CutSuffix(name, "Ids"); ok {
		name = thing + "s"
		if strings.HasSuffix(thing, "s") {
			name = thing + "es"
		}
	}
	if thing, ok := strings.CutSuffix(name, "Id"); ok && thing != "" {
		name = thing
	}
	var out strings.Builder
	for i, c := range name {
		switch {
		case i == 0:
			out.WriteRune(unicode.ToUpper(c))
		case unicode.IsUpper(c):
			out.WriteByte(' ')
			out.WriteRune(unicode.ToLower(c))
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// wordsOf is a code in words: LEFT_OUT is "Left out".
func wordsOf(code string) string {
	words := strings.ToLower(strings.ReplaceAll(code, "_", " "))
	if words == "" {
		return words
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// wireWord is a name of the wire in a sentence.
var wireWord = regexp.MustCompile(`\b[a-z]+(?:[A-Z][a-z0-9]*)+\b`)

// inWords is the detail with every field called by its label. What is wrong with a list request
// or a file's columns is said in their own names, which the caller has to spell.
func (d Detail) inWords() Detail {
	if strings.HasPrefix(d.Field, "filters.") || strings.HasPrefix(d.Field, "sort.") || strings.HasPrefix(d.Field, "rows[") ||
		d.Field == "file" ||
		strings.HasPrefix(d.Message, unknownParameter) {
		return d
	}
	name := d.Field[strings.LastIndexByte(d.Field, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	rest, named := strings.CutPrefix(d.Message, name+" ")
	if !named || name == "" {
		rest = d.Message
	}
	rest = wireWord.ReplaceAllStringFunc(rest, func(word string) string { return lowerFirst(Label(word)) })
	if named && name != "" {
		rest = Label(name) + " " + rest
	}
	d.Message = rest
	return d
}

// lowerFirst is a label inside a sentence; abbreviations stay.
func lowerFirst(label string) string {
	if len(label) > 1 && unicode.IsUpper(rune(label[1])) {
		return label
	}
	return strings.ToLower(label[:1]) + label[1:]
}
