package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"testing"
	"unicode/utf8"

	"homeroom/api"
	"homeroom/sheet/safe"
)

var fuzzed = []Column{
	{Name: "firstName", Also: []string{"name"}, Check: Text(100)},
	{Name: "lastName", Check: Text(100)},
	{Name: "class", Check: Text(60)},
	{Name: "roll", Check: Number},
	{Name: "gender", Check: OneOf(map[string]string{"F": "FEMALE"}, "FEMALE", "MALE")},
	{Name: "born", Date: true},
	{Name: "phone", Phone: true},
	{Name: "email", Check: Email},
}

// FuzzReader feeds the reader anything: it must answer with rows or with a refusal in
// words, number its rows upwards, and never let a cell that breaks a rule through.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"firstName,lastName\nAsha,Rao\n", "\xEF\xBB\xBFFIRST NAME;class\r\n\"A\r\nB\";5\r\n", "firstName\n=1\n", "a,a\n", "\"", "firstName\n\"x",
		"firstName,phone\nA,'+919812345678\n", "\xFF\xFE", "\xFF\xFEf\x00i\x00r\x00", "sep=;\nfirstName;born\nA;3/4/15\n", "Title\n\nname|roll\nA|1\n", "firstName\n\xE9t\xE9\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := Load(bytes.NewReader(file), fuzzed, In("IN"))
		if err == nil {
			last := s.Understood.HeaderRow
			s.Each(&Problems{}, func(row int, cells []string, _ map[int]bool) {
				if row <= last || len(cells) != len(fuzzed) {
					t.Fatalf("row %d after %d, %d cells", row, last, len(cells))
				}
				last = row
				for _, c := range cells {
					if !utf8.ValidString(c) || bytes.ContainsRune([]byte(c), 0) {
						t.Fatalf("let %q through", c)
					}
				}
			})
		}
		var refusal *api.Error
		if err != nil && !errors.As(err, &refusal) {
			t.Fatalf("not in words: %v", err)
		}
	})
}

// FuzzGuard checks that no exported cell can run, and that every one comes back as it was.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"=1+1", "'=1", "''", "@x", "-5", "+91", "'Abd", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = Clean(text)
		out := Guard(text)
		if out != "" && bytes.IndexByte([]byte(safe.FormulaMarks), out[0]) >= 0 {
			t.Fatalf("%q would run", out)
		}
		if back := safe.Unguard(out); back != text {
			t.Fatalf("%q came back as %q", text, back)
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.Write([]string{out, "end"})
		w.Flush()
	})
}
