package api

import (
	"testing"
	"time"
)

func TestPhrase_InALanguage_HasItsValuesInItsWay(t *testing.T) {
	t.Parallel()
	turned := catalogue{"%s is %d": "%[2]d: %[1]s", "On %s": "%s को", "%s or %s": "%s या %s", "March": "मार्च",
		"PENDING": "लंबित", "First name": "नाम", "Not here: %s": "नहीं: %s", "%s (aboard)": "%s (बस में)", "100%": "100%%"}
	arabic := catalogue{digits: "٠١٢٣٤٥٦٧٨٩", direction: "rtl", "%d of %s": "%d من %s", "On %s": "في %s", "March": "مارس"}
	for name, of := range map[string]struct {
		in   catalogue
		said Phrase
		want string
	}{
		"another order":   {turned, Say("%s is %d", "Asha", 3), "3: Asha"},
		"a day":           {turned, Say("On %s", Date{2026, time.March, 5}), "5 मार्च 2026 को"},
		"a state":         {turned, Say("%s or %s", "PENDING", "firstName"), "लंबित या नाम"},
		"phrases":         {turned, Say("Not here: %s", Phrases{Say("%s (aboard)", "Asha"), Say("%s (aboard)", "Ravi")}), "नहीं: Asha (बस में), Ravi (बस में)"},
		"a phrase alone":  {turned, Say("%s", Say("%s is %d", "Asha", 3)), "3: Asha"},
		"a percent sign":  {turned, Say("100%"), "100%"},
		"own digits":      {arabic, Say("%d of %s", 12, "Asha"), "١٢ من \u2068Asha\u2069"},
		"own digits, day": {arabic, Say("On %s", Date{2026, time.March, 5}), "في ٥ مارس ٢٠٢٦"},
	} {
		if got, known := of.in.say(of.said); got != of.want || !known {
			t.Errorf("%s: %q %v, want %q", name, got, known, of.want)
		}
	}
	if got, known := turned.say(Say("%s has no words", "Asha")); got != "Asha has no words" || known {
		t.Errorf("without words: %q %v", got, known)
	}
}

func TestCatalogue_OfAnAcceptLanguage_IsTheFirstThereIs(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"hi": "hi", "hi-IN,hi;q=0.9,en;q=0.8": "hi", "ta,sw;q=0.5": "sw", "en-IN,hi;q=0.9": "", "ta": "", "": "",
		"ar-EG;q=0.2,hi;q=0.7": "hi", "§§": ""} {
		got := catalogueFor(header)
		if (got == nil) != (want == "") || got["Not found"] != catalogues[want]["Not found"] {
			t.Errorf("%q: %q, want that of %q", header, got["Not found"], want)
		}
	}
}

func TestRefusal_WithoutWords_IsEnglishOrWhatToDo(t *testing.T) {
	t.Parallel()
	words := catalogue{unreadable: "फिर से खोलें", "%s is required": "%s भरना ज़रूरी है", "Reason": "कारण"}
	for name, of := range map[string]struct {
		e             *Error
		message, said string
	}{
		"of a program": {Malformed("The body is not valid JSON"), "फिर से खोलें", ""},
		"of an office": {Conflict("The node is %s", "full"), "The node is full", ""},
		"of a field":   {InvalidField("reason", "%s is required", "reason"), "Validation failed", "कारण भरना ज़रूरी है"},
		"field, no words": {InvalidField("toDate", "toDate must not be before fromDate"), "Validation failed",
			"To date must not be before from date"},
	} {
		got := of.e.bounded(words)
		if got.Message != of.message {
			t.Errorf("%s: %q, want %q", name, got.Message, of.message)
		}
		if of.said != "" && got.Details[0].Message != of.said {
			t.Errorf("%s: %q, want %q", name, got.Details[0].Message, of.said)
		}
	}
}
