package attendance

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// MarkFields are a division's marks of one day.
type MarkFields struct {
	DivisionID uuid.UUID    `json:"divisionId" validate:"required"`
	Date       api.Date     `json:"date" validate:"required"`
	Records    []MarkRecord `json:"records" validate:"required,min=1,max=500,dive"`
}

// MarkRecord is one student's mark. HOLIDAY, of every student, declares the day off for the
// division.
type MarkRecord struct {
	StudentID   uuid.UUID `json:"studentId" validate:"required"`
	Status      string    `json:"status" validate:"required,oneof=PRESENT ABSENT LATE LEAVE HOLIDAY" doc:"HOLIDAY is for the whole division: of every student it declares the day off, of some it is refused"`
	LateMinutes *int      `json:"lateMinutes" validate:"omitempty,min=0,max=600" doc:"With LATE only"`
	Remark      string    `json:"remark" validate:"max=300"`
	Version     *int      `json:"version" validate:"omitempty,min=0" doc:"As the register showed it, 0 for no mark: refused when somebody marked meanwhile. The last word counts unless given"`
}

// OfficeMark is a mark by the office, which says why when the day is past.
type OfficeMark struct {
	MarkFields
	Reason string `json:"reason" validate:"max=300" doc:"Needed for a day that is past"`
}

// Marked is what a day's marks have become.
type Marked struct {
	DivisionID uuid.UUID `json:"divisionId"`
	Date       api.Date  `json:"date"`
	Changed    int       `json:"changed" doc:"How many marks are new or other than they were"`
	Counts
	Records []MarkedRecord `json:"records" doc:"The marks as they now stand. ABSENT on an approved leave is LEAVE"`
}

// MarkedRecord is a mark as it stands.
type MarkedRecord struct {
	StudentID uuid.UUID  `json:"studentId"`
	Status    string     `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE"`
	LeaveID   *uuid.UUID `json:"leaveId,omitempty" doc:"The approved leave it shows, if it does"`
}

// Mark is one student's attendance of one day.
type Mark struct {
	ID          uuid.UUID  `json:"id"`
	StudentID   uuid.UUID  `json:"studentId"`
	Status      string     `json:"status"`
	LateMinutes *int       `json:"lateMinutes"`
	Remark      string     `json:"remark"`
	Source      string     `json:"source" doc:"TEACHER, ADMIN, LEAVE for what an approved leave wrote, or LESSON for what follows from lessons"`
	LeaveID     *uuid.UUID `json:"leaveId"`
	HalfDay     bool       `json:"halfDay" doc:"Of LEAVE: half a day"`
	MarkedBy    uuid.UUID  `json:"markedBy"`
	MarkedAt    time.Time  `json:"markedAt"`
	Version     int        `json:"version"`

	DivisionID uuid.UUID `json:"-"`
	Date       api.Date  `json:"-"`
}

// change is a mark that is new or other than it was; was is nil for a new one.
type change struct {
	Mark
	was  *Mark
	name string // the student's
}

func (ch change) statusChanged() bool { return ch.was == nil || ch.was.Status != ch.Status }

func markedDivision(_ api.Ctx, r MarkFields) (api.Target, error) {
	return api.Target{DivisionID: r.DivisionID}, nil
}

// teacherMarks takes a teacher's marks of today or the days just before, as the settings say.
func teacherMarks(c api.Ctx, r MarkFields) (Marked, error) {
	return mark(c, r, "TEACHER", "", nil)
}

// officeMarks takes the office's marks of any day of the active year up to today.
func officeMarks(c api.Ctx, r OfficeMark) (Marked, error) {
	var bad []api.Detail
	if r.Reason = strings.TrimSpace(r.Reason); r.Reason == "" && r.Date.Before(c.Today()) {
		bad = append(bad, api.Detail{Field: "reason", Message: "reason is required for a day that is past"})
	}
	return mark(c, r.MarkFields, "ADMIN", r.Reason, bad)
}

// mark writes a day's marks, all or none. Those who mark a division queue on its row,
// so that each sees what the one before did, and what it tells parents is right.
func mark(c api.Ctx, r MarkFields, source, reason string, bad []api.Detail) (Marked, error) {
	s, err := lockSheet(c, r)
	if err != nil {
		return Marked{}, err
	}
	if source == "TEACHER" {
		bad = s.tooLate(c, r.Date)
	}
	if bad = append(bad, s.check(c, r)...); bad != nil {
		return Marked{}, api.Invalid(bad...)
	}
	if err := s.refuseStale(r); err != nil {
		return Marked{}, err
	}
	if r.Records[0].Status == holidayStatus {
		return s.declareOff(c, r, reason)
	}
	out := Marked{DivisionID: r.DivisionID, Date: r.Date, Records: make([]MarkedRecord, len(r.Records))}
	changes := make([]change, 0, len(r.Records))
	for i, record := range r.Records {
		ch, changed := s.apply(c, r, record, source)
		out.Records[i] = MarkedRecord{ch.StudentID, ch.Status, ch.LeaveID}
		out.add(ch.Status, ch.HalfDay)
		if changed {
			changes = append(changes, ch)
		}
	}
	out.Changed = len(changes)
	return out, keep(c, r, changes, reason, s.Delay)
}

// keep writes changes, and tells of them.
func keep(c api.Ctx, r MarkFields, changes []change, reason string, delay int) error {
	if len(changes) == 0 {
		return nil
	}
	write(c, changes, reason)
	if err := tellParents(c, changes, delay); err != nil {
		return err
	}
	before, after := booked{}, booked{Reason: reason}
	fact := MarkedDay{DivisionID: r.DivisionID, Date: r.Date}
	before.DivisionID, before.Date, after.DivisionID, after.Date = r.DivisionID, r.Date, r.DivisionID, r.Date
	for _, ch := range changes {
		after.add(ch.StudentID, ch.Status)
		if ch.was != nil {
			before.add(ch.StudentID, ch.was.Status)
		}
		// Who simply came is no news to anybody, and most of the class.
		if ch.statusChanged() && (ch.was != nil || ch.Status != "PRESENT") {
			fact.add(ch.StudentID, ch.Status)
		}
	}
	c.Changed("mark", "attendance", r.DivisionID, before, after)
	c.Tell(events.Fact{Kind: MarkedFact, Data: fact})
	return nil
}

// booked is how a day's changes stand in the audit. Every detail is in the revisions.
type booked struct {
	Reason  string     `json:"reason,omitempty"`
	GroupID *uuid.UUID `json:"groupId,omitempty"` // of a group's lesson, in place of a division
	MarkedDay
}

// MarkedFact is the fact that students of a division were marked, or marked anew.
const MarkedFact = "attendance.marked"

// MarkedDay is what MarkedFact says: whose status is new or another than it was. Present
// are those who were marked otherwise before.
type MarkedDay struct {
	DivisionID uuid.UUID   `json:"divisionId,omitzero"`
	Date       api.Date    `json:"date"`
	Present    []uuid.UUID `json:"present,omitempty"`
	Absent     []uuid.UUID `json:"absent,omitempty"`
	Late       []uuid.UUID `json:"late,omitempty"`
	Leave      []uuid.UUID `json:"leave,omitempty"`
}

func (d *MarkedDay) add(student uuid.UUID, status string) {
	switch status {
	case "PRESENT":
		d.Present = append(d.Present, student)
	case "ABSENT":
		d.Absent = append(d.Absent, student)
	case "LATE":
		d.Late = append(d.Late, student)
	case "LEAVE":
		d.Leave = append(d.Leave, student)
	}
}
