package fee

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// InstalmentRef names an instalment of a structure: by its number, or by its name.
type InstalmentRef string

// UnmarshalJSON takes a number or a text.
func (i *InstalmentRef) UnmarshalJSON(b []byte) error {
	var n int
	if json.Unmarshal(b, &n) == nil {
		*i = InstalmentRef(strconv.Itoa(n))
		return nil
	}
	var text string
	err := json.Unmarshal(b, &text)
	*i = InstalmentRef(strings.TrimSpace(text))
	return err
}

// JSONSchema says so in the document.
func (InstalmentRef) JSONSchema() map[string]any {
	return map[string]any{"type": []any{"integer", "string"}, "examples": []any{1, "Term 1"}}
}

// in finds the instalment, numbered from 1.
func (i InstalmentRef) in(s Structure) (int, bool) {
	for _, in := range s.Instalments {
		if strings.EqualFold(in.Name, string(i)) {
			return in.Number, true
		}
	}
	n, err := strconv.Atoi(string(i))
	return n, err == nil && n >= 1 && n <= len(s.Instalments)
}

type chargeIn struct {
	StructureID uuid.UUID     `json:"structureId" validate:"required"`
	Instalment  InstalmentRef `json:"instalment" validate:"required"`
	ClassID     *uuid.UUID    `json:"classId" validate:"required_without=StudentIDs" doc:"The structure's class, all of it"`
	StudentIDs  []uuid.UUID   `json:"studentIds" validate:"max=5000,unique" doc:"Or some of it"`
}

// Charged is how a charge went. Who was charged for the instalment before is left alone.
type Charged struct {
	StructureID    uuid.UUID `json:"structureId"`
	Instalment     int       `json:"instalment"`
	Charged        int       `json:"charged" doc:"How many students were charged by this call"`
	AlreadyCharged int       `json:"alreadyCharged" doc:"How many had been charged before"`
	Amount         int64     `json:"amount" doc:"What they were charged together"`
	Concession     int64     `json:"concession" doc:"What was waived of it"`
}

// chargeable is a student the structure holds for.
type chargeable struct {
	ID        uuid.UUID
	FirstName string
	LastName  string
	Joined    api.Date
	Charged   bool
}

// members are the students of the structure $1's class in its year: those enrolled, unless
// they have left by today ($2), and those admitted to the class and not placed yet. $3
// narrows them to some; $4 is the instalment.
const members = `with structure as (select s.*, y.start_date, y.end_date from fee_structure s join academic_year y on y.id = s.academic_year_id where s.id = $1)
	select s.id, s.first_name, s.last_name,
		coalesce((select min(e.start_date) from enrolment e where e.student_id = s.id and e.academic_year_id = f.academic_year_id), s.admission_date) as joined,
		exists (select from fee_invoice i where i.student_id = s.id and i.structure_id = f.id and i.instalment = $4) as charged
	from structure f, student s
	where s.deleted_at is null and ($3::uuid[] is null or s.id = any($3)) and s.id in (
		select e.student_id from enrolment e where e.class_id = f.class_id and e.academic_year_id = f.academic_year_id and (e.end_date is null or e.end_date >= least($2::date, f.end_date))
		union all
		select u.id from student u where u.class_id = f.class_id and u.status = 'ACTIVE' and not exists (select from enrolment e where e.student_id = u.id and e.academic_year_id = f.academic_year_id))
	order by s.id`

// charge bills a class, or some of it, for an instalment. The structure's row is locked,
// so that of two charges at once the second finds what the first did.
func charge(c api.Ctx, r chargeIn) (Charged, error) {
	structure, year, number, err := r.look(c)
	if err != nil {
		return Charged{}, err
	}
	var picked []uuid.UUID
	if len(r.StudentIDs) > 0 {
		picked = r.StudentIDs
	}
	var students []chargeable
	err = tenancy.Together(c.DB, tenancy.Query{SQL: members, Args: []any{structure.ID, c.Today(), picked, number}, Scan: collect(&students)})
	if err != nil {
		return Charged{}, fmt.Errorf("reading who is charged: %w", err)
	}
	if err := allThere(r.StudentIDs, students); err != nil {
		return Charged{}, err
	}
	out := Charged{StructureID: structure.ID, Instalment: number}
	var due []chargeable
	for _, s := range students {
		if s.Charged {
			out.AlreadyCharged++
		} else {
			due = append(due, s)
		}
	}
	if len(due) == 0 {
		return out, nil
	}
	return bill(c, structure, year, number, due, out)
}

// look finds and locks the structure, and the instalment in it.
func (r chargeIn) look(c api.Ctx) (Structure, schoolYear, int, error) {
	record, err := api.Lock[StructureRecord](c, "fee structure", r.StructureID)
	if err != nil {
		return Structure{}, schoolYear{}, 0, err
	}
	whole, err := withParts(c, []StructureRecord{record})
	if err != nil {
		return Structure{}, schoolYear{}, 0, err
	}
	number, ok := r.Instalment.in(whole[0])
	if !ok {
		return Structure{}, schoolYear{}, 0, api.InvalidField("instalment", "instalment must be a number from 1 to %d or an instalment's name", len(whole[0].Instalments))
	}
	if r.ClassID != nil && *r.ClassID != record.ClassID {
		return Structure{}, schoolYear{}, 0, api.InvalidField("classId", "This is another class's fee structure")
	}
	var years []schoolYear
	err = tenancy.Together(c.DB, tenancy.Query{SQL: `select id, name, start_date, end_date from academic_year where id = $1`, Args: []any{record.AcademicYearID}, Scan: collect(&years)})
	if err != nil {
		return Structure{}, schoolYear{}, 0, fmt.Errorf("reading the academic year: %w", err)
	}
	return whole[0], years[0], number, nil
}

// allThere names every student asked for who is not the class's.
func allThere(asked []uuid.UUID, found []chargeable) error {
	there := make(map[uuid.UUID]bool, len(found))
	for _, s := range found {
		there[s.ID] = true
	}
	var bad []api.Detail
	for i, id := range asked {
		if !there[id] {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("studentIds[%d]", i), Message: "No student of the structure's class in its year"})
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}
