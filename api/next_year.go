package api

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
)

// NextYear is a module's part in the turn of the year: what it carries over into the next academic year. All parts are
// carried out in one transaction by modules/year, in the order in which modules are listed.
type NextYear struct {
	Part       string // as the plan calls it
	Permission string // whose right to write a plan with this part needs; empty: none
	// Carry carries the part over and says what it did. A dry run is the same call in a transaction that is rolled back:
	// it changes nothing but the school's tables, and sends no notices, facts or audit entries. nil: nothing is carried over.
	Carry func(Ctx, YearTurn) (CarriedOver, error)
	// Undo takes back what Carry made; nil: nothing is to be taken back.
	Undo func(c Ctx, t YearTurn, made json.RawMessage) error
	// InUse says what happened in the new year, so that it cannot be undone any more; empty: nothing. nil: never anything.
	InUse func(c Ctx, t YearTurn, made json.RawMessage) (string, error)
}

// YearTurn is the change from one academic year to the next, as an office wants it.
type YearTurn struct {
	From, To YearSpan
	Choices  YearChoices
}

// YearSpan is an academic year.
type YearSpan struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	StartDate Date      `json:"startDate"`
	EndDate   Date      `json:"endDate"`
}

// Parts of the turn of the year.
const (
	StudentsPart    = "STUDENTS"
	AssignmentsPart = "ASSIGNMENTS"
	GroupsPart      = "GROUPS"
	TimetablePart   = "TIMETABLE"
	TermsPart       = "TERMS"
	FeesPart        = "FEES"
	AttendancePart  = "ATTENDANCE"
)

// YearChoices are what an office decides for the turn of the year.
type YearChoices struct {
	RollNumbers     string                  `json:"rollNumbers" enum:"BY_NAME,KEEP,NONE" validate:"omitempty,oneof=BY_NAME KEEP NONE" doc:"BY_NAME (unless given): from 1 on in every division, by name. KEEP: last year's, where nobody else of the division has it. NONE: nobody has one"`
	CreateDivisions bool                    `json:"createDivisions" doc:"Add the divisions that the next class lacks"`
	DivisionMap     map[uuid.UUID]uuid.UUID `json:"divisionMap" validate:"max=500" doc:"From a division to one of the next class; divisions of the same name unless given"`
	Retained        []uuid.UUID             `json:"retained" validate:"max=5000" doc:"Students who stay in their class"`
	Left            []uuid.UUID             `json:"left" validate:"max=5000" doc:"Students who do not come back"`
	FeeRaisePercent float64                 `json:"feeRaisePercent" validate:"min=-90,max=500" doc:"What fees are raised by; rounded to the school's unit (feeRoundTo of the settings)" example:"7.5"`
	LeaveOut        []string                `json:"leaveOut" validate:"max=4,unique,dive,oneof=ASSIGNMENTS GROUPS TERMS FEES" doc:"Parts that are not carried over"`
}

// Leaves reports whether a part is not carried over.
func (c YearChoices) Leaves(part string) bool { return slices.Contains(c.LeaveOut, part) }

// CarriedOver is what a part of the turn of the year does, in words for the office.
type CarriedOver struct {
	Part    string   `json:"part" enum:"STUDENTS,ASSIGNMENTS,GROUPS,TIMETABLE,TERMS,FEES,ATTENDANCE"`
	Records int      `json:"records" doc:"How many are carried over"`
	Will    []string `json:"will" doc:"What happens"`
	Missing []string `json:"missing" doc:"What the office still has to do; at most 200 lines"`
	Made    any      `json:"-"` // what Undo needs, as JSON
	Seen    []string `json:"-"` // what it was decided on: another plan has another
}

// maxMissing bounds the lines of a part.
const maxMissing = 200

// Lists gives the part lists that may be empty and are never absent.
func (p CarriedOver) Lists(part string) CarriedOver {
	p.Part = part
	if p.Will == nil {
		p.Will = []string{}
	}
	if p.Missing == nil {
		p.Missing = []string{}
	}
	p.Missing = p.Missing[:min(len(p.Missing), maxMissing)]
	return p
}

// Day is a day of the old year in the new one: as many months later. The first and the last day stay those, and no day
// between them leaves the year.
func (t YearTurn) Day(old Date) Date {
	switch old {
	case t.From.StartDate:
		return t.To.StartDate
	case t.From.EndDate:
		return t.To.EndDate
	}
	month := time.Date(old.Year, old.Month+time.Month(t.months()), 1, 0, 0, 0, 0, time.UTC)
	day := Date{Year: month.Year(), Month: month.Month(), Day: min(old.Day, month.AddDate(0, 1, -1).Day())}
	if old.Before(t.From.StartDate) || t.From.EndDate.Before(old) {
		return day
	}
	if day.Before(t.To.StartDate) {
		return t.To.StartDate
	}
	if t.To.EndDate.Before(day) {
		return t.To.EndDate
	}
	return day
}

// months is how many months the new year begins after the old one.
func (t YearTurn) months() int {
	return (t.To.StartDate.Year-t.From.StartDate.Year)*12 + int(t.To.StartDate.Month) - int(t.From.StartDate.Month)
}

// YearParts are the parts of all modules in the turn of the year.
func YearParts(modules []Module) []NextYear {
	var parts []NextYear
	for _, m := range modules {
		parts = append(parts, m.NextYear...)
	}
	return parts
}
