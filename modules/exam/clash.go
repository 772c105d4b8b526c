package exam

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Clash is two papers at one time that need the same class, room or invigilator.
type Clash struct {
	Kind   string `json:"kind" doc:"CLASS, ROOM or INVIGILATOR"`
	First  Paper  `json:"first"`
	Second Paper  `json:"second"`
}

func (x Clash) String() string {
	what := x.First.ClassName
	switch x.Kind {
	case "ROOM":
		what = "Room " + x.First.Room
	case "INVIGILATOR":
		what = x.First.InvigilatorName
	}
	return fmt.Sprintf("%s is booked twice: %s and %s", what, x.First, x.Second)
}

// clashesSQL pairs the exam's papers with every other paper that cannot be sat beside
// them, each pair once. A class can sit two electives at one time that nobody takes both.
var clashesSQL = `select k.kind, a.id as first, b.id as second
	from exam_paper a join exam_paper b on b.id <> a.id and b.exam_date = a.exam_date and a.start_time < b.end_time
	and b.start_time < a.end_time,
		lateral (select 'CLASS' as kind where a.class_id = b.class_id and not (` + roster.IsElective("a.subject_id", "a.class_id") + `
				and ` + roster.IsElective("b.subject_id", "b.class_id") + ` and not exists (select from enrolment r where r.class_id = a.class_id
				and r.start_date <= a.exam_date and (r.end_date is null or r.end_date >= a.exam_date)
				and ` + takesOf("a") + ` and ` + takesOf("b") + `))
			union all select 'INVIGILATOR' where a.invigilator_id = b.invigilator_id
			union all select 'ROOM' where a.room <> '' and lower(a.room) = lower(b.room)) k
	where a.exam_id = $1 and (b.exam_id <> $1 or a.id > b.id)
	order by a.exam_date, a.start_time, a.id, k.kind, b.id limit 100`

// takesOf holds for the enrolments r of those who take the subject of a paper.
func takesOf(paper string) string {
	return roster.TakesSubject(paper+".subject_id", paper+".class_id", "r.division_id", "r.student_id", paper+".exam_date")
}

// refuseClashes answers with all clashes of what was just written, each naming both
// papers; the transaction then takes the papers back.
func refuseClashes(c api.Ctx, r scheduleChange) error {
	var pairs []struct {
		Kind          string
		First, Second uuid.UUID
	}
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: clashesSQL, Args: []any{r.ExamID}, Scan: tenancy.Collect(&pairs)}); err != nil {
		return fmt.Errorf("looking for clashes: %w", err)
	}
	if len(pairs) == 0 {
		return nil
	}
	var ids []uuid.UUID
	for _, p := range pairs {
		ids = append(ids, p.First, p.Second)
	}
	var papers []Paper
	if err := tenancy.Pipeline(c.DB, papersWhere(&papers, "p.id = any($1)", ids)); err != nil {
		return fmt.Errorf("reading clashing papers: %w", err)
	}
	byID := map[uuid.UUID]Paper{}
	for _, p := range papers {
		byID[p.ID] = p
	}
	found := make([]Clash, len(pairs))
	for i, p := range pairs {
		found[i] = Clash{p.Kind, byID[p.First], byID[p.Second]}
	}
	message := found[0].String()
	if len(found) > 1 {
		message += fmt.Sprintf(" (and %d more)", len(found)-1)
	}
	refusal := api.Conflict("%s", message)
	for _, x := range found {
		refusal.Details = append(refusal.Details, api.Detail{Field: r.fieldOf(x), Message: x.String()})
	}
	refusal.Data = struct {
		Clashes []Clash `json:"clashes"`
	}{found}
	return refusal
}

// fieldOf is the sent paper a clash is about; one that was there before has no field.
func (r *scheduleChange) fieldOf(x Clash) string {
	for _, p := range []Paper{x.First, x.Second} {
		for i, sent := range r.Papers {
			if p.ExamID == r.ExamID && p.ClassID == sent.ClassID && p.SubjectID == sent.SubjectID {
				return fmt.Sprintf("papers[%d]", i)
			}
		}
	}
	return "papers"
}
