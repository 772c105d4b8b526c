package timetable

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
)

// Clash is two lessons at one time that need the same teacher, room or division.
type Clash struct {
	Kind   string `json:"kind" doc:"TEACHER, ROOM or DIVISION"`
	First  Slot   `json:"first"`
	Second Slot   `json:"second"`
	index  int    // of First among those that were sent
}

func (x Clash) String() string {
	what := "The division"
	switch x.Kind {
	case "TEACHER":
		what = x.First.TeacherName
	case "ROOM":
		what = "Room " + x.First.Room
	}
	return fmt.Sprintf("%s is booked twice: %s and %s", what, x.First, x.Second)
}

// clashes finds every pair of a new lesson and another one, new or not, that cannot
// both be held. Lessons are looked up by who or what they need, not all by all.
func clashes(fresh, others []Slot) []Clash {
	type need struct {
		kind string
		key  string
		day  int
	}
	needs := func(s Slot) []need {
		n := []need{{"DIVISION", s.DivisionID.String(), s.DayOfWeek}}
		if s.TeacherID != nil && *s.TeacherID != uuid.Nil {
			n = append(n, need{"TEACHER", s.TeacherID.String(), s.DayOfWeek})
		}
		if s.Room != "" {
			n = append(n, need{"ROOM", strings.ToLower(s.Room), s.DayOfWeek})
		}
		return n
	}
	booked := map[need][]Slot{}
	for _, s := range others {
		for _, n := range needs(s) {
			booked[n] = append(booked[n], s)
		}
	}
	var found []Clash
	for i, s := range fresh {
		for _, n := range needs(s) {
			for _, o := range booked[n] {
				// Within one division the division itself is what is booked twice.
				if s.sameTime(o) && (n.kind == "DIVISION" || s.DivisionID != o.DivisionID) {
					found = append(found, Clash{Kind: n.kind, First: s, Second: o, index: i})
				}
			}
			booked[n] = append(booked[n], s)
		}
	}
	return found
}

// refuseClashes answers with all clashes at once, each naming both lessons. field
// says which field of the request the nth lesson's clash is about.
func refuseClashes(found []Clash, field func(index int) string) error {
	if len(found) == 0 {
		return nil
	}
	message := found[0].String()
	if len(found) > 1 {
		message += fmt.Sprintf(" (and %d more)", len(found)-1)
	}
	refusal := api.Conflict("%s", message)
	for _, x := range found {
		refusal.Details = append(refusal.Details, api.Detail{Field: field(x.index), Message: x.String()})
	}
	refusal.Data = struct {
		Clashes []Clash `json:"clashes"`
	}{found}
	return refusal
}
