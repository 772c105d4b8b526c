package charging

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
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
	return map[string]any{"type": "string", "examples": []any{"1", "Term 1"}, "description": "Its number or its name. A number is taken too"}
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
	Instalment  InstalmentRef `json:"instalment" validate:"required,max=100"`
	ClassID     *uuid.UUID    `json:"classId" validate:"required_without=StudentIDs" doc:"The structure's class, all of it"`
	StudentIDs  []uuid.UUID   `json:"studentIds" validate:"max=5000,unique" doc:"Or some of it"`
	DryRun      bool          `json:"dryRun" doc:"Say whom it would charge and how much, and charge nobody"`
}

// Charged is how a charge went. Who was charged for the instalment before is left alone.
type Charged struct {
	StructureID      uuid.UUID `json:"structureId"`
	Instalment       int       `json:"instalment"`
	Charged          int       `json:"charged" doc:"How many students were charged by this call"`
	AlreadyCharged   int       `json:"alreadyCharged" doc:"How many had been charged before"`
	ChargedElsewhere int       `json:"chargedElsewhere" doc:"How many were left out because another class charged them for this part of the year; an invoice that was waived does not count"`
	Amount           int64     `json:"amount" doc:"What they were charged together"`
	Concession       int64     `json:"concession" doc:"What was waived of it"`
	ProRata          int       `json:"proRata" doc:"How many of them pay for a part of the year, since they joined during it"`
	ProRataAmount    int64     `json:"proRataAmount" doc:"What those were charged"`
	WithoutAmount    int       `json:"withoutAmount" doc:"How many are subscribed to transport and ride nowhere that has an amount: they were not charged for it"`
	DryRun           bool      `json:"dryRun"`

	Students []ChargedStudent `json:"students" doc:"Of a dry run: everybody it speaks of, by name"`
}

// ChargedStudent is what a dry run says of one student.
type ChargedStudent struct {
	StudentID   uuid.UUID `json:"studentId"`
	StudentName string    `json:"studentName"`
	Outcome     string    `json:"outcome" enum:"CHARGED,ALREADY_CHARGED,CHARGED_ELSEWHERE,NOTHING_LEFT" doc:"CHARGED, ALREADY_CHARGED, CHARGED_ELSEWHERE, or NOTHING_LEFT of the year for them"`
	Amount      int64     `json:"amount"`
	Concession  int64     `json:"concession" doc:"What is waived of it"`
	ProRata     bool      `json:"proRata" doc:"For a part of the year"`

	Lines         []ledger.InvoiceLine `json:"lines" doc:"What the amount is for"`
	WithoutAmount bool                 `json:"withoutAmount" doc:"Subscribed to transport, and rides at no route or stop that has an amount"`
}

// chargeable is a student the structure holds for.
type chargeable struct {
	ID        uuid.UUID
	FirstName string
	LastName  string
	Joined    api.Date
	Charged   bool
	Elsewhere bool // charged for this part of the year by another class
}

// members are the students of a class ($1) in a year ($2): those enrolled, unless they
// have left by the day $3, and those admitted to the class who sit nowhere: who sits in a
// class of another year is not billed for it here before they are promoted, and who leaves
// with that year never is. $4 narrows them to some; $5 and $6 are the structure and the
// instalment, $7 and $8 the share of the year it is, from and to, in percent. Who came from another class was
// charged elsewhere where half of that share or more is in invoices of that class; two
// classes need not have the same instalments.
const members = `with sat as (
		select student_id, min(start_date) as joined, bool_or(class_id = $1 and (end_date is null or end_date >= $3::date)) as here
		from enrolment where academic_year_id = $2 group by student_id),
	billed as (select student_id from fee_invoice where structure_id = $5 and instalment = $6),
	share as (
		select i.structure_id, i.number, sum(i.percent) over (partition by i.structure_id order by i.number) as upto, i.percent
		from fee_instalment i join fee_structure f on f.id = i.structure_id where f.academic_year_id = $2 and f.id <> $5),
	elsewhere as (
		select v.student_id from fee_invoice v join share on share.structure_id = v.structure_id and share.number = v.instalment
		where share.upto > $7::numeric and share.upto - share.percent < $8::numeric
			and (select sum(case e.entry_type when 'DR' then e.amount else -e.amount end) from ledger_entry e
				where e.account_id = v.student_id and e.invoice_id = v.id) > 0
		group by v.student_id having 2 * sum(least(share.upto, $8::numeric) - greatest(share.upto - share.percent,
			$7::numeric)) >= $8::numeric - $7::numeric)
	select s.id, s.first_name, s.last_name,
	coalesce(sat.joined, s.admission_date) as joined, billed.student_id is not null as charged, elsewhere.student_id is not null as elsewhere
	from student s left join sat on sat.student_id = s.id left join billed on billed.student_id = s.id left
	join elsewhere on elsewhere.student_id = s.id
	where s.deleted_at is null and ($4::uuid[] is null or s.id = any($4)) and (sat.here
	or (sat.student_id is null and s.class_id = $1 and s.status = 'ACTIVE' and s.leaving_status is null
		and not exists (select from enrolment o where o.student_id = s.id and (o.end_date is null or o.end_date >= $3::date))))
	order by s.id`

// charge bills a class, or some of it, for an instalment. The structure's row is locked,
// so that of two charges at once the second finds what the first did.
func (m *Endpoints) charge(c api.Ctx, r chargeIn) (Charged, error) {
	if r.ClassID == nil && len(r.StudentIDs) == 0 {
		return Charged{}, api.InvalidField("studentIds", "studentIds is empty; the whole class is charged by classId")
	}
	structure, year, number, err := r.look(c)
	if err != nil {
		return Charged{}, err
	}
	var picked []uuid.UUID
	if len(r.StudentIDs) > 0 {
		picked = r.StudentIDs
	}
	last := c.Today()
	if year.EndDate.Before(last) {
		last = year.EndDate
	}
	var students []chargeable
	share := structure.span(number)
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: members, Scan: tenancy.Collect(&students),
		Args: []any{structure.ClassID, year.ID, last, picked, structure.ID, number, float64(share.from) / 100, float64(share.to) / 100}})
	if err != nil {
		return Charged{}, fmt.Errorf("reading who is charged: %w", err)
	}
	if err := allThere(r.StudentIDs, students); err != nil {
		return Charged{}, err
	}
	out := Charged{StructureID: structure.ID, Instalment: number, DryRun: r.DryRun, Students: []ChargedStudent{}}
	var due []chargeable
	for _, s := range students {
		switch {
		case s.Charged:
			out.AlreadyCharged++
			out.say(s, ChargedStudent{Outcome: "ALREADY_CHARGED"})
		case s.Elsewhere:
			out.ChargedElsewhere++
			out.say(s, ChargedStudent{Outcome: "CHARGED_ELSEWHERE"})
		default:
			due = append(due, s)
		}
	}
	if len(due) > 0 {
		out, err = m.bill(c, structure, year, number, due, out)
	}
	slices.SortStableFunc(out.Students, func(a, b ChargedStudent) int { return strings.Compare(a.StudentName, b.StudentName) })
	return out, err
}

// say notes what a dry run finds of a student. A charge itself answers with sums: it may
// be of thousands, and its answer is kept in the audit.
func (r *Charged) say(s chargeable, found ChargedStudent) {
	if !r.DryRun {
		return
	}
	found.StudentID, found.StudentName = s.ID, roster.FullName(s.FirstName, s.LastName)
	if found.Lines == nil {
		found.Lines = []ledger.InvoiceLine{}
	}
	r.Students = append(r.Students, found)
}

// look finds and locks the structure, and the instalment in it.
func (r chargeIn) look(c api.Ctx) (Structure, ledger.SchoolYear, int, error) {
	record, err := api.Lock[StructureRecord](c, "fee structure", r.StructureID)
	if err != nil {
		return Structure{}, ledger.SchoolYear{}, 0, err
	}
	whole, err := withParts(c, []StructureRecord{record})
	if err != nil {
		return Structure{}, ledger.SchoolYear{}, 0, err
	}
	number, ok := r.Instalment.in(whole[0])
	if !ok {
		return Structure{}, ledger.SchoolYear{}, 0, api.InvalidField("instalment",
			"instalment must be a number from 1 to %d or an instalment's name",
			len(whole[0].Instalments))
	}
	if r.ClassID != nil && *r.ClassID != record.ClassID {
		return Structure{}, ledger.SchoolYear{}, 0, api.InvalidField("classId", "This is another class's fee structure")
	}
	var years []ledger.SchoolYear
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id, name, start_date, end_date from academic_year where id = $1`,
		Args: []any{record.AcademicYearID}, Scan: tenancy.Collect(&years)})
	if err != nil {
		return Structure{}, ledger.SchoolYear{}, 0, fmt.Errorf("reading the academic year: %w", err)
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
