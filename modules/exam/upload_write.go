package exam

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// Uploaded is what an upload did.
type Uploaded struct {
	ExamID    uuid.UUID `json:"examId"`
	Created   int       `json:"created"`
	Updated   int       `json:"updated"`
	Unchanged int       `json:"unchanged"`
	Results   []Result  `json:"results"`
}

// upload writes results, all or nothing. What a student has already is changed.
func upload(c api.Ctx, r batch) (Uploaded, error) {
	if err := holdOpen(c, r.ExamID); err != nil {
		return Uploaded{}, err
	}
	f, err := r.find(c)
	if err != nil {
		return Uploaded{}, err
	}
	list, bad := r.entries(f)
	if bad != nil {
		return Uploaded{}, api.Invalid(bad...)
	}
	return writeResults(c, r.ExamID, list)
}

// holdOpen refuses an exam whose results cannot be changed, and keeps it as it is until
// the transaction ends: publishing waits. Uploads do not wait for each other.
func holdOpen(c api.Ctx, exam uuid.UUID) error {
	var found []examRecord
	err := c.DB.Clauses(clause.Locking{Strength: "SHARE"}).Where("id = ?", exam).Find(&found).Error
	switch {
	case err != nil:
		return fmt.Errorf("reading an exam: %w", err)
	case len(found) == 0:
		return api.NotFound("exam")
	case found[0].Status != scheduled:
		return inState(found[0].Status)
	}
	return nil
}

// writeResults writes entries that were checked. Their papers are locked in one order,
// so that of two uploads of a paper the second sees what the first did.
func writeResults(c api.Ctx, exam uuid.UUID, list []entry) (Uploaded, error) {
	out := Uploaded{ExamID: exam}
	papers := paperIDs(list)
	students := make([]uuid.UUID, len(list))
	for i, e := range list {
		students[i] = e.student
	}
	var there []Result
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id from exam_paper where id = any($1) order by id for update`, Args: []any{papers}},
		tenancy.Query{SQL: `select ` + resultColumns + ` from exam_result r where r.paper_id = any($1) and r.student_id = any($2)`,
			Args: []any{papers, students}, Scan: tenancy.Collect(&there)},
	)
	if err != nil {
		return out, fmt.Errorf("reading results: %w", err)
	}
	known := map[[2]uuid.UUID]Result{}
	for _, r := range there {
		known[[2]uuid.UUID{r.PaperID, r.StudentID}] = r
	}
	var written, before []Result
	var stale []api.Detail
	for _, e := range list {
		was, there := known[[2]uuid.UUID{e.paper.ID, e.student}]
		if e.Version != nil && *e.Version != was.Version {
			stale = append(stale, api.Wrong(e.field(e.index, "version"), "somebody entered %s meanwhile", was.cell()))
			continue
		}
		if there && was.same(e.ResultFields) {
			out.Unchanged++
			continue
		}
		now := Result{Record: api.Record{ID: api.NewID(), CreatedAt: c.Now, CreatedBy: &c.User.ID}, PaperID: e.paper.ID, StudentID: e.student}
		if there {
			now = was
			out.Updated++
		} else {
			out.Created++
		}
		now.ResultFields = e.ResultFields
		now.UpdatedAt, now.UpdatedBy, now.Version = c.Now, &c.User.ID, was.Version+1
		written, before = append(written, now), append(before, was)
	}
	if stale != nil {
		refusal := api.Conflict("Somebody else entered %d of these results meanwhile; nothing was saved", len(stale))
		refusal.Details = stale
		return out, refusal
	}
	if err := saveResults(c, exam, papers, written); err != nil {
		return out, err
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select ` + resultColumns +
		` from exam_result r where r.paper_id = any($1) and r.student_id = any($2) order by r.paper_id, r.student_id`,
		Args: []any{papers, students}, Scan: tenancy.Collect(&out.Results)})
	if err != nil {
		return out, fmt.Errorf("reading results: %w", err)
	}
	return out, bookResults(c, exam, papers, before, written)
}

const resultColumns = `r.id, r.created_at, r.updated_at, r.created_by, r.updated_by, r.version, r.paper_id, r.student_id,
	r.marks_obtained, r.is_absent, r.is_exempt, r.remark, r.grade`

// saveResults writes the rows at once, with their grades, and grades the papers' other results anew: the scale may have been changed.
func saveResults(c api.Ctx, exam uuid.UUID, papers []uuid.UUID, written []Result) error {
	if len(written) == 0 {
		return nil
	}
	body, err := json.Marshal(written)
	if err != nil {
		return err
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `with ` + bandSQL + `
			insert into exam_result (id, paper_id, student_id, marks_obtained, is_absent, is_exempt, grade, remark, version, created_by,
			updated_by, created_at, updated_at)
			select s.id, p.id, "studentId", "marksObtained", "isAbsent", "isExempt",
				case when "isExempt" then '' else coalesce(b.grade, '') end, s.remark, s.version, $3, $3, $4, $4
			from jsonb_to_recordset($2::jsonb) as s (id uuid, "paperId" uuid, "studentId" uuid, "marksObtained" numeric(7,2),
				"isAbsent" boolean, "isExempt" boolean, remark text, version int)
			join exam_paper p on p.id = "paperId"
			left join band b on b.class_id = p.class_id and round(coalesce("marksObtained", 0) * 100 / p.max_marks, 2) >= b.least
				and (b.next is null or round(coalesce("marksObtained", 0) * 100 / p.max_marks, 2) < b.next)
			on conflict (paper_id, student_id) do update
			set marks_obtained = excluded.marks_obtained, is_absent = excluded.is_absent, is_exempt = excluded.is_exempt,
				grade = excluded.grade,
				remark = excluded.remark, version = excluded.version, updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
			Args: []any{exam, string(body), c.User.ID, c.Now}},
		tenancy.Query{SQL: regradeSQL, Args: []any{exam, papers}},
	)
	if err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// bookResults audits every result that was written, and tells of them.
func bookResults(c api.Ctx, exam uuid.UUID, papers []uuid.UUID, before, written []Result) error {
	if len(written) == 0 {
		c.Unchanged()
		return nil
	}
	var fresh, changed []int
	for i := range written {
		if before[i].ID == uuid.Nil {
			fresh = append(fresh, i)
		} else {
			changed = append(changed, i)
		}
	}
	err := c.ChangedMany("create", "result", len(fresh), func(i int) (uuid.UUID, any, any) {
		return written[fresh[i]].ID, nil, written[fresh[i]]
	})
	if err != nil {
		return err
	}
	err = c.ChangedMany("update", "result", len(changed), func(i int) (uuid.UUID, any, any) {
		return written[changed[i]].ID, before[changed[i]], written[changed[i]]
	})
	if err != nil {
		return err
	}
	c.Changed("upload", "exam", exam, nil, map[string]any{"created": len(fresh), "updated": len(changed), "paperIds": papers})
	c.Tell(events.Fact{Kind: "results.uploaded", Data: map[string]any{"examId": exam, "paperIds": papers, "results": len(written)}})
	return nil
}
