package exam

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// nextYear is the exams' part in the turn of the year.
func nextYear() []api.NextYear {
	return []api.NextYear{{Part: api.TermsPart, Permission: "exam", Carry: carryTerms, Undo: undoTerms, InUse: hasResults}}
}

// carryTerms gives the new year the terms of the old one, as many months later. A year that has terms keeps those.
func carryTerms(c api.Ctx, t api.YearTurn) (api.CarriedOver, error) {
	out := api.CarriedOver{Made: []uuid.UUID{}}
	var terms []Term
	if err := c.DB.Where("academic_year_id in ?", []uuid.UUID{t.From.ID, t.To.ID}).Order("start_date, name").Find(&terms).Error; err != nil {
		return out, fmt.Errorf("reading terms: %w", err)
	}
	var old []Term
	kept := 0
	for _, term := range terms {
		if term.AcademicYearID == t.To.ID {
			kept++
		} else {
			old = append(old, term)
		}
	}
	switch {
	case kept > 0:
		out.Will = []string{fmt.Sprintf("%s has %d terms already: these stay as they are", t.To.Name, kept)}
		return out, nil
	case len(old) == 0:
		out.Missing = []string{t.To.Name + " has no terms: report cards need them"}
		return out, nil
	}
	made := []uuid.UUID{}
	for i, term := range old {
		fields := term.TermFields
		fields.AcademicYearID, fields.StartDate, fields.EndDate = t.To.ID, t.Day(term.StartDate), t.Day(term.EndDate)
		old[i] = Term{Record: api.Record{ID: api.NewID(), CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: &c.User.ID, UpdatedBy: &c.User.ID,
			Version: 1}, TermFields: fields}
		made = append(made, old[i].ID)
		line := fmt.Sprintf("%s: %s to %s", fields.Name, fields.StartDate, fields.EndDate)
		out.Will, out.Seen = append(out.Will, line), append(out.Seen, term.ID.String(), fmt.Sprint(*weightOr(fields.Weight)))
	}
	if err := c.DB.Create(&old).Error; err != nil {
		return out, fmt.Errorf("adding terms: %w", err)
	}
	out.Made, out.Records = made, len(made)
	return out, nil
}

// undoTerms removes the terms it made that have no exams.
func undoTerms(c api.Ctx, _ api.YearTurn, made json.RawMessage) error {
	var ids []uuid.UUID
	if err := json.Unmarshal(made, &ids); err != nil {
		return fmt.Errorf("reading what was made: %w", err)
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `delete from term t where t.id = any($1)
		and not exists (select from exam e where e.term_id = t.id)`, Args: []any{ids}})
	if err != nil {
		return fmt.Errorf("taking terms back: %w", err)
	}
	return nil
}

// hasResults says whether somebody has a result of an exam of the new year.
func hasResults(c api.Ctx, t api.YearTurn, _ json.RawMessage) (string, error) {
	var exams []string
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select e.name from exam e join exam_paper p on p.exam_id = e.id
		join exam_result r on r.paper_id = p.id where e.academic_year_id = $1 limit 1`, Args: []any{t.To.ID}, Scan: tenancy.Values(&exams)})
	if err != nil || len(exams) == 0 {
		return "", err
	}
	return fmt.Sprintf("%s of %s has results", exams[0], t.To.Name), nil
}
