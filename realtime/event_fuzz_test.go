package realtime

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
)

// FuzzBusOf names a bus in any words: what is understood is a bus of the caller's own
// school, and anything else is refused in words of ours.
func FuzzBusOf(f *testing.F) {
	school, bus := uuid.MustParse("0192f0c1-7a52-7cc3-98c4-dc0c0c073901"), uuid.MustParse("0192f0c1-7a52-7cc3-98c4-dc0c0c073902")
	for _, seed := range []string{
		"", "null", "[]", "{}", `"x"`, "1e999", `{"busId":"` + bus.String() + `"}`, `{"busId":"` + bus.String() + `","schoolId":"` +
			school.String() + `"}`,
		`{"busId":"` + bus.String() + `","schoolId":"` + bus.String() + `"}`, `{"busId":"` + bus.String() + `","schoolId":"x"}`,
		`{"busId":"urn:uuid:` + bus.String() + `"}`,
		`{"busId":null,"schoolId":null}`, `{"busId":{"a":[]},"schoolId":[1]}`, `{"BUSID":"` + bus.String() + `"}`, `{"busId":"\ud83d"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := busOf(Person{SchoolID: school}, data)
		if err != nil {
			if w, ok := err.(refused); !ok || w.code == "" || w.message == "" || got != uuid.Nil {
				t.Fatalf("%s and %v", got, err)
			}
			return
		}
		var sent struct {
			School string `json:"schoolId"`
			Bus    string `json:"busId"`
		}
		if err := json.Unmarshal(data, &sent); err != nil {
			t.Fatalf("%s out of what is no object: %v", got, err)
		}
		if named, err := uuid.Parse(sent.Bus); err != nil || named != got {
			t.Fatalf("%q is understood as %s", sent.Bus, got)
		}
		if named, err := uuid.Parse(sent.School); sent.School != "" && (err != nil || named != school) {
			t.Fatalf("a bus of %q is shown to %s", sent.School, school)
		}
	})
}
