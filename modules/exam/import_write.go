package exam

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// write adds the exams, their papers and results. When a paper was sat is not known: those of a class and day get a minute each
// from midnight on, since no class sits two papers at a time.
func (p *past) write(c api.Ctx) error {
	for _, e := range p.order {
		if err := e.write(c); err != nil {
			return err
		}
		var papers []uuid.UUID
		for _, paper := range e.papers {
			papers = append(papers, paper.ID)
		}
		if err := saveResults(c, e.ID, papers, e.written); err != nil {
			return err
		}
		err := c.ChangedMany("import", "result", len(e.written), func(i int) (uuid.UUID, any, any) {
			return e.written[i].ID, nil, e.written[i]
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *pastExam) write(c api.Ctx) error {
	e.UpdatedAt, e.UpdatedBy, e.Version = c.Now, &c.User.ID, e.Version+1
	var err error
	if e.fresh {
		e.CreatedAt, e.CreatedBy, e.Status = c.Now, &c.User.ID, published
		e.SchedulePublishedAt, e.PublishedAt = &c.Now, &c.Now
		err = c.DB.Create(&e.examRecord).Error
	} else {
		err = c.DB.Select("start_date", "end_date", "updated_at", "updated_by", "version").Where("id = ?", e.ID).Updates(&e.examRecord).Error
	}
	if err != nil {
		return fmt.Errorf("adding an exam: %w", err)
	}
	type row struct {
		ID, ClassID, SubjectID uuid.UUID
		ExamDate               api.Date
		MaxMarks, PassMarks    Marks
	}
	papers := make([]row, len(e.order))
	for i, p := range e.order {
		papers[i] = row{p.ID, p.ClassID, p.SubjectID, p.ExamDate, p.MaxMarks, p.PassMarks}
	}
	body, err := json.Marshal(papers)
	if err != nil {
		return err
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `insert into exam_class (exam_id, class_id) select $1, unnest($2::uuid[]) on conflict do nothing`,
			Args: []any{e.ID, e.classes}},
		tenancy.Query{SQL: `insert into exam_paper (id, exam_id, class_id, subject_id, exam_date, start_time, end_time, max_marks, pass_marks,
				created_by, updated_by, created_at, updated_at)
			select v."ID", $1, v."ClassID", v."SubjectID", v."ExamDate", time '00:00' + make_interval(mins => n::int),
				time '00:01' + make_interval(mins => n::int), v."MaxMarks", v."PassMarks", $3, $3, $4, $4
			from (select v.*, row_number() over (partition by v."ClassID", v."ExamDate" order by v."ID") - 1 + (select count(*)
					from exam_paper o where o.class_id = v."ClassID" and o.exam_date = v."ExamDate" and o.start_time < '06:00') as n
				from jsonb_to_recordset($2::jsonb) as v ("ID" uuid, "ClassID" uuid, "SubjectID" uuid, "ExamDate" date, "MaxMarks" numeric,
					"PassMarks" numeric)) v`,
			Args: []any{e.ID, string(body), c.User.ID, c.Now}})
	if err != nil {
		return fmt.Errorf("adding the papers of an exam: %w", err)
	}
	c.Changed("import", "exam", e.ID, nil, e.examRecord)
	return nil
}
