package year

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// turn is the change of year for one class.
type turn struct {
	from, to roster.AcademicYear
	class    roster.Class
	next     *roster.Class // nil for a class that graduates
	// divisions by id, of the class and of the next
	divisions map[uuid.UUID]roster.Division
	byName    map[string]roster.Division // of the next class, by folded name
}

func readTurn(c api.Ctx, r promoteRequest) (*turn, error) {
	t := &turn{divisions: map[uuid.UUID]roster.Division{}, byName: map[string]roster.Division{}}
	var years []roster.AcademicYear
	if err := c.DB.Where("active or id = ? or id = ?", r.FromYearID, r.ToYearID).Find(&years).Error; err != nil {
		return nil, fmt.Errorf("reading the years: %w", err)
	}
	for _, y := range years {
		if y.ID == r.ToYearID {
			t.to = y
		}
		if r.FromYearID != nil && y.ID == *r.FromYearID || r.FromYearID == nil && y.Active {
			t.from = y
		}
	}
	var bad []api.Detail
	if t.from.ID == uuid.Nil {
		bad = append(bad, api.Detail{Field: "fromYearId", Message: "fromYearId does not exist"})
	}
	if t.to.ID == uuid.Nil {
		bad = append(bad, api.Detail{Field: "toYearId", Message: "toYearId does not exist"})
	} else if !t.from.EndDate.Before(t.to.StartDate) {
		bad = append(bad, api.Detail{Field: "toYearId", Message: "toYearId must be a year after the one that is left"})
	}
	var classes []roster.Class
	err := c.DB.Where("id = ? or id = (select next_class_id from class where id = ?)", r.ClassID, r.ClassID).Find(&classes).Error
	if err != nil {
		return nil, fmt.Errorf("reading the class: %w", err)
	}
	for i, class := range classes {
		if class.ID == r.ClassID {
			t.class = class
		} else {
			t.next = &classes[i]
		}
	}
	if t.class.ID == uuid.Nil {
		bad = append(bad, api.Detail{Field: "classId", Message: "classId does not exist"})
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	return t, t.readDivisions(c, r)
}

func (t *turn) readDivisions(c api.Ctx, r promoteRequest) error {
	ids := []uuid.UUID{t.class.ID}
	if t.next != nil {
		ids = append(ids, t.next.ID)
	}
	var divisions []roster.Division
	if err := c.DB.Where("class_id in ?", ids).Find(&divisions).Error; err != nil {
		return fmt.Errorf("reading divisions: %w", err)
	}
	for _, d := range divisions {
		t.divisions[d.ID] = d
		if d.ClassID != t.class.ID {
			t.byName[api.Fold(d.Name)] = d
		}
	}
	for from, to := range r.DivisionMap {
		if d, known := t.divisions[from]; !known || d.ClassID != t.class.ID {
			return api.InvalidField("divisionMap", "%s is no division of the class", from)
		}
		if d, known := t.divisions[to]; !known || t.next == nil || d.ClassID != t.next.ID {
			return api.InvalidField("divisionMap", "%s is no division of the next class", to)
		}
	}
	return nil
}

// candidates are the students who sit in the class at the end of the year, for whom
// nothing is settled yet. They are locked.
func (t *turn) candidates(c api.Ctx) ([]PromotionStep, error) {
	type row struct {
		Enrolment, Student, Division uuid.UUID
		Number, First, Last, Status  string
		Late, Gone                   bool
	}
	var rows []row
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select e.id as enrolment, s.id as student, e.division_id as division,
		s.admission_number as number,
			s.first_name as first, s.last_name as last, s.status, e.start_date > $3 as late, s.deleted_at is not null as gone
		from enrolment e join student s on s.id = e.student_id
		where e.class_id = $1 and e.academic_year_id = $2 and e.end_date is null
		order by e.division_id, s.first_name, s.last_name,
		s.id for update of e`, Args: []any{t.class.ID, t.from.ID, t.from.EndDate.String()}, Scan: tenancy.Collect(&rows)})
	if err != nil {
		return nil, fmt.Errorf("reading the class's students: %w", err)
	}
	out := make([]PromotionStep, len(rows))
	for i, r := range rows {
		out[i] = PromotionStep{StudentID: r.Student, AdmissionNumber: r.Number, Name: roster.FullName(r.First, r.Last),
			FromDivisionID: r.Division, enrolment: r.Enrolment}
		switch {
		case r.Gone || r.Status != "ACTIVE":
			out[i].Outcome, out[i].Why = leftOut, "is not at the school any more"
		case r.Late:
			out[i].Outcome, out[i].Why = leftOut, "begins only after the year has ended"
		}
	}
	return out, nil
}

// decideAll decides for every candidate; where some were chosen, for those and nobody else.
// A student who is named must be one of them.
func (t *turn) decideAll(r promoteRequest, candidates []PromotionStep) ([]PromotionStep, error) {
	lists := []struct {
		field, outcome string
		ids            []uuid.UUID
	}{{"students", promoted, r.Students}, {"retained", retained, r.Retained}, {"left", leaves, r.Left}}
	named := map[uuid.UUID]string{}
	var bad []api.Detail
	for _, list := range lists {
		for i, id := range list.ids {
			if other, twice := named[id]; twice && other != list.outcome {
				bad = append(bad, api.Detail{Field: fmt.Sprintf("%s[%d]", list.field, i), Message: "is named in another list too"})
			}
			named[id] = list.outcome
		}
	}
	var chosen []PromotionStep
	seen := map[uuid.UUID]bool{}
	for _, s := range candidates {
		outcome, isNamed := named[s.StudentID]
		if r.Students != nil && !isNamed {
			continue
		}
		seen[s.StudentID] = true
		if s.Outcome == "" {
			t.decide(&s, r.DivisionMap, outcome)
		}
		chosen = append(chosen, s)
	}
	for _, list := range lists {
		for i, id := range list.ids {
			if !seen[id] {
				bad = append(bad, api.Detail{Field: fmt.Sprintf("%s[%d]", list.field, i),
					Message: "is no student of this class who is to be promoted"})
			}
		}
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	return chosen, nil
}

func (t *turn) decide(s *PromotionStep, mapped map[uuid.UUID]uuid.UUID, named string) {
	goes := func(outcome string, class roster.Class, d roster.Division) {
		s.Outcome, s.ToClassID, s.ToDivisionID, s.To = outcome, &class.ID, &d.ID, class.Name+"-"+d.Name
	}
	from := t.divisions[s.FromDivisionID]
	switch {
	case named == retained:
		goes(retained, t.class, from)
	case named == leaves:
		s.Outcome = leaves
	case t.next == nil:
		s.Outcome = graduates
	default:
		to, known := t.divisions[mapped[from.ID]]
		if !known {
			to, known = t.byName[api.Fold(from.Name)]
		}
		if !known {
			s.Outcome, s.Why = leftOut, fmt.Sprintf("%s has no division %s: say in divisionMap where %s goes", t.next.Name, from.Name, from.Name)
			return
		}
		goes(promoted, *t.next, to)
	}
}

func (t *turn) count(steps []PromotionStep) Promotion {
	p := Promotion{FromYearID: t.from.ID, ToYearID: t.to.ID, ClassID: t.class.ID, Students: steps}
	if steps == nil {
		p.Students = []PromotionStep{}
	}
	of := map[string]*int{promoted: &p.Promoted, retained: &p.Retained, leaves: &p.Left, graduates: &p.Graduated, leftOut: &p.LeftOut}
	for _, s := range steps {
		*of[s.Outcome]++
	}
	return p
}

// writeRecords writes the turn: enrolments that end, those that begin, and who is gone. Until the
// year has ended, nobody is: what they become waits for their last day.
func (t *turn) writeRecords(c api.Ctx, id uuid.UUID, closed []uuid.UUID, outcomes []string, opened, students, divisions, gone []uuid.UUID,
	states []string) error {
	end := t.from.EndDate.String()
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `update enrolment e set end_date = $1, outcome = v.outcome, promotion_id = $2, version = e.version + 1,
			updated_at = $3, updated_by = $4
			from unnest($5::uuid[], $6::text[]) as v(id, outcome) where e.id = v.id`, Args: []any{end, id, c.Now, c.User.ID, closed, outcomes}},
		tenancy.Query{SQL: `insert into enrolment (id, student_id, academic_year_id, class_id, division_id, start_date, promotion_id, created_by,
			updated_by, created_at, updated_at)
			select v.id, v.student_id, $1, d.class_id, d.id, $2, $3, $4, $4, $5, $5
			from unnest($6::uuid[], $7::uuid[], $8::uuid[]) as v(id, student_id, division_id) join division d on d.id = v.division_id`,
			Args: []any{t.to.ID, t.to.StartDate.String(), id, c.User.ID, c.Now, opened, students, divisions}},
		tenancy.Query{SQL: `update student s set status = case when $6 then v.status else s.status end, leaving_status = case
			when not $6 then v.status end,
				leaving_date = $1, version = s.version + 1, updated_at = $2, updated_by = $3
			from unnest($4::uuid[], $5::text[]) as v(id, status)
			where s.id = v.id`, Args: []any{end, c.Now, c.User.ID, gone, states, t.from.EndDate.Before(c.Today())}})
	if err != nil {
		return fmt.Errorf("promoting: %w", err)
	}
	return nil
}

func deref(p *Promotion) Promotion {
	if p == nil {
		return Promotion{}
	}
	return *p
}
