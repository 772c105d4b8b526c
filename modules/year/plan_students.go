package year

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// madeStudents is what undoing the students' part needs.
type madeStudents struct {
	Promotions []uuid.UUID `json:"promotions"`
	Divisions  []uuid.UUID `json:"divisions"`
}

// carryStudents promotes all classes, and gives roll numbers. Who was promoted by hand before stays where they were put.
func carryStudents(c api.Ctx, y api.YearTurn) (api.CarriedOver, error) {
	var out api.CarriedOver
	made := madeStudents{Promotions: []uuid.UUID{}, Divisions: []uuid.UUID{}}
	if y.Choices.CreateDivisions {
		names, err := createDivisions(c, y, &made)
		if err != nil {
			return out, err
		}
		if len(names) > 0 {
			out.Will = append(out.Will, "New divisions: "+strings.Join(names, ", "))
		}
	}
	var classes []roster.Class
	err := c.DB.Where(`exists (select from enrolment e where e.class_id = class.id and e.academic_year_id = ? and e.end_date is null)`,
		y.From.ID).Order("level, name").Find(&classes).Error
	if err != nil {
		return out, fmt.Errorf("reading classes: %w", err)
	}
	named := map[uuid.UUID]bool{}
	for _, id := range slices.Concat(y.Choices.Retained, y.Choices.Left) {
		named[id] = true
	}
	for _, class := range classes {
		p, next, err := promoteAll(c, y, class, named)
		if err != nil {
			return out, err
		}
		if p.ID != nil {
			made.Promotions = append(made.Promotions, *p.ID)
		}
		out.Records += p.Promoted + p.Retained + p.Left + p.Graduated
		out.Will = append(out.Will, describe(class, next, p))
		for _, s := range p.Students {
			out.Seen = append(out.Seen, fmt.Sprint(s.StudentID, s.Outcome, s.FromDivisionID, s.To))
			if s.Outcome == leftOut {
				out.Missing = append(out.Missing, fmt.Sprintf("%s (%s, %s): %s", s.Name, s.AdmissionNumber, class.Name, s.Why))
			}
		}
	}
	if len(named) > 0 {
		out.Missing = append(out.Missing, fmt.Sprintf("%d of the students who stay or leave sit in no class of %s", len(named), y.From.Name))
	}
	lines, err := giveRollNumbers(c, y, made.Promotions)
	out.Missing = append(out.Missing, lines...)
	out.Made = made
	return out, err
}

// createDivisions adds to the next classes the divisions they lack.
func createDivisions(c api.Ctx, y api.YearTurn, made *madeStudents) ([]string, error) {
	mapped := []uuid.UUID{}
	for id := range y.Choices.DivisionMap {
		mapped = append(mapped, id)
	}
	var added []struct {
		ID   uuid.UUID
		Name string
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `with added as (
		insert into division (id, class_id, name, created_by, updated_by, created_at, updated_at)
		select gen_random_uuid(), k.next_class_id, d.name, $3, $3, $4, $4 from division d join class k on k.id = d.class_id
		where k.next_class_id is not null and d.id <> all($2)
		and exists (select from enrolment e where e.division_id = d.id and e.academic_year_id = $1 and e.end_date is null)
		on conflict do nothing returning id, class_id, name)
		select a.id, k.name || ' ' || a.name as name from added a join class k on k.id = a.class_id order by k.level, k.name, a.name`,
		Args: []any{y.From.ID, mapped, c.User.ID, c.Now}, Scan: tenancy.Collect(&added)})
	if err != nil {
		return nil, fmt.Errorf("adding divisions: %w", err)
	}
	var names []string
	for _, d := range added {
		made.Divisions, names = append(made.Divisions, d.ID), append(names, d.Name)
	}
	return names, nil
}

// promoteAll promotes a class, and returns the name of the next. Who is named to stay or leave is taken out of named.
func promoteAll(c api.Ctx, y api.YearTurn, class roster.Class, named map[uuid.UUID]bool) (p Promotion, next string, err error) {
	r := promoteRequest{FromYearID: &y.From.ID, ToYearID: y.To.ID, ClassID: class.ID}
	t, err := readTurn(c, r)
	if err != nil {
		return p, next, err
	}
	if t.next != nil {
		next = t.next.Name
	}
	candidates, err := t.candidates(c)
	if err != nil {
		return p, next, err
	}
	here := map[uuid.UUID]bool{}
	for _, s := range candidates {
		here[s.StudentID] = true
		delete(named, s.StudentID)
	}
	elsewhere := func(id uuid.UUID) bool { return !here[id] }
	r.Retained = slices.DeleteFunc(slices.Clone(y.Choices.Retained), elsewhere)
	r.Left = slices.DeleteFunc(slices.Clone(y.Choices.Left), elsewhere)
	r.DivisionMap = map[uuid.UUID]uuid.UUID{}
	for from, to := range y.Choices.DivisionMap {
		if d, known := t.divisions[to]; known && t.next != nil && d.ClassID == t.next.ID && t.divisions[from].ClassID == class.ID {
			r.DivisionMap[from] = to
		}
	}
	if candidates, err = t.decideAll(r, candidates); err != nil {
		return p, next, err
	}
	p = t.count(candidates)
	if p.Promoted+p.Retained+p.Left+p.Graduated == 0 {
		return p, next, nil
	}
	id := api.NewID()
	p.ID = &id
	return p, next, t.write(c, p)
}

// describe is a class's part in words.
func describe(class roster.Class, next string, p Promotion) string {
	var what []string
	say := func(n int, words string) {
		if n > 0 {
			what = append(what, fmt.Sprintf("%d %s", n, words))
		}
	}
	say(p.Promoted, "to "+next)
	say(p.Retained, "stay")
	say(p.Left, "leave")
	say(p.Graduated, "graduate")
	say(p.LeftOut, "are left out")
	return class.Name + ": " + strings.Join(what, ", ")
}

// giveRollNumbers numbers the enrolments that promotions made. Nobody gets a number that another of the division has then.
func giveRollNumbers(c api.Ctx, y api.YearTurn, promotions []uuid.UUID) (missing []string, err error) {
	const taken = `from enrolment x where x.division_id = n.division_id and (x.end_date is null or x.end_date >= $3) and x.roll_number `
	var numbers string
	switch y.Choices.RollNumbers {
	case "BY_NAME":
		numbers = `select n.id, row_number() over (partition by n.division_id
			order by lower(s.first_name), lower(s.last_name), s.admission_number)
				+ coalesce((select max(x.roll_number) ` + taken + `is not null), 0) as roll
			from enrolment n join student s on s.id = n.student_id where n.promotion_id = any($1) and n.academic_year_id = $2`
	case "KEEP":
		numbers = `select id, roll from (select n.id, o.roll_number as roll,
				row_number() over (partition by n.division_id, o.roll_number order by o.outcome desc, s.admission_number) as place,
				exists (select ` + taken + `= o.roll_number) as taken
			from enrolment n join student s on s.id = n.student_id
			join enrolment o on o.student_id = n.student_id and o.promotion_id = n.promotion_id and o.academic_year_id = $4
			where n.promotion_id = any($1) and n.academic_year_id = $2 and o.roll_number is not null) w where place = 1 and not taken`
	default:
		return nil, nil
	}
	args := []any{promotions, y.To.ID, y.To.StartDate}
	if y.Choices.RollNumbers == "KEEP" {
		args = append(args, y.From.ID)
	}
	var without []struct {
		Division string
		N        int
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `update enrolment e set roll_number = v.roll from (` + numbers + `) v where e.id = v.id`, Args: args},
		tenancy.Query{SQL: `select k.name || ' ' || d.name as division, count(*)::int as n from enrolment n
			join division d on d.id = n.division_id
			join class k on k.id = d.class_id where n.promotion_id = any($1) and n.academic_year_id = $2 and n.roll_number is null
			group by k.level, k.name, d.name order by k.level, k.name, d.name`, Args: args[:2], Scan: tenancy.Collect(&without)})
	if err != nil {
		return nil, fmt.Errorf("giving roll numbers: %w", err)
	}
	for _, w := range without {
		missing = append(missing, fmt.Sprintf("%s: %d students without a roll number", w.Division, w.N))
	}
	return missing, nil
}

// undoStudents takes the promotions back, and the divisions that nothing else refers to.
func undoStudents(c api.Ctx, y api.YearTurn, made json.RawMessage) error {
	var m madeStudents
	if err := json.Unmarshal(made, &m); err != nil {
		return fmt.Errorf("reading what was made: %w", err)
	}
	for _, id := range m.Promotions {
		if err := takeBack(c, id, y.From.ID, y.To.ID, y.From.EndDate); err != nil {
			return err
		}
	}
	for _, id := range m.Divisions {
		if err := c.DB.SavePoint("division").Error; err != nil {
			return fmt.Errorf("removing a division: %w", err)
		}
		err := c.DB.Exec(`delete from division where id = ?`, id).Error
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "23503" {
			err = c.DB.RollbackTo("division").Error // somebody uses it
		}
		if err != nil {
			return fmt.Errorf("removing a division: %w", err)
		}
	}
	return nil
}
