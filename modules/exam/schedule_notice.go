package exam

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// sitting are those whom papers concern: by paper the students who sit it, and the users who invigilate.
type sitting struct {
	students     map[uuid.UUID][]notice.Concerned
	invigilators map[uuid.UUID]*uuid.UUID // the user of an employee, nil: none
}

const selectSitting = `select p.id as paper_id, s.id as student_id, trim(s.first_name || ' ' || s.last_name) as name
	from exam_paper p join ` + seated + ` join student s on s.id = r.student_id and s.deleted_at is null and s.status = 'ACTIVE'
	where p.id = any($1) and `

func readSitting(c api.Ctx, papers []Paper) (sitting, error) {
	var ids, employees []uuid.UUID
	for _, p := range papers {
		if ids = append(ids, p.ID); p.InvigilatorID != nil {
			employees = append(employees, *p.InvigilatorID)
		}
	}
	var found []struct {
		PaperID, StudentID uuid.UUID
		Name               string
	}
	var users []struct {
		ID     uuid.UUID
		UserID *uuid.UUID
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: selectSitting + takes +
			` order by (select min(x.guardian_id::text) from student_guardian x where x.student_id = s.id), s.id`,
			Args: []any{ids}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: `select id, user_id from employee where id = any($1)`, Args: []any{employees}, Scan: tenancy.Collect(&users)})
	if err != nil {
		return sitting{}, fmt.Errorf("reading whom papers concern: %w", err)
	}
	out := sitting{map[uuid.UUID][]notice.Concerned{}, map[uuid.UUID]*uuid.UUID{}}
	for _, f := range found {
		out.students[f.PaperID] = append(out.students[f.PaperID], notice.Concerned{StudentID: &f.StudentID, Name: f.Name})
	}
	for _, u := range users {
		out.invigilators[u.ID] = u.UserID
	}
	return out, nil
}

// invigilator is the user who invigilates, as one concerned; nobody if there is none.
func (s sitting) invigilator(employee *uuid.UUID) []notice.Concerned {
	if employee == nil || s.invigilators[*employee] == nil {
		return nil
	}
	return []notice.Concerned{{UserID: s.invigilators[*employee]}}
}

// tellSchedule tells the families of all who sit an exam, and who invigilates, that its timetable was published or taken back.
func tellSchedule(c api.Ctx, text string, e examRecord) error {
	papers, err := papersOf(c, e.ID)
	if err != nil || len(papers) == 0 {
		return err
	}
	who, err := readSitting(c, papers)
	if err != nil {
		return err
	}
	mine := map[uuid.UUID][]Paper{} // of a student or a user
	var order []notice.Concerned
	for _, p := range papers {
		for _, one := range append(who.invigilator(p.InvigilatorID), who.students[p.ID]...) {
			id := one.UserID
			if id == nil {
				id = one.StudentID
			}
			if mine[*id] == nil {
				order = append(order, one)
			}
			mine[*id] = append(mine[*id], p)
		}
	}
	var notices []notice.Notice
	for _, one := range order {
		id, name := one.StudentID, text
		if id == nil {
			id, name = one.UserID, text+"-duty"
		}
		list := mine[*id]
		words := make([]string, len(list))
		var begins time.Time // the next of them
		for i, p := range list {
			if start := p.begins(c); begins.IsZero() && start.After(c.Now) {
				begins = start
			}
			words[i] = fmt.Sprintf("%s (%s) %s %s–%s", p.SubjectName, p.ClassName, p.ExamDate, p.StartTime, p.EndTime)
		}
		notices = append(notices, notice.ToEach([]notice.Concerned{one}, notice.Notice{
			Type: notice.Exam, Key: fmt.Sprintf("%s:%s:%d", text, e.ID, c.Now.UnixNano()), RecordID: e.ID, Day: list[len(list)-1].ExamDate,
			Begins: begins,
			Text: notice.Text{Name: name, Values: notice.Values{"exam": e.Name, "papers": len(list), "list": strings.Join(words, "; "),
				"days": notice.Days(notice.On(list[0].ExamDate), notice.On(list[len(list)-1].ExamDate)), "who": ""}},
		})...)
	}
	notice.Send(c, notices...)
	return nil
}

// tellPapers tells those concerned of papers that were added, moved or removed since an exam's timetable was published.
func tellPapers(c api.Ctx, e examRecord, before, after []Paper, was sitting) error {
	is, err := readSitting(c, after)
	if err != nil {
		return err
	}
	old := map[uuid.UUID]Paper{}
	for _, p := range before {
		old[p.ID] = p
	}
	for _, p := range after {
		o, there := old[p.ID]
		delete(old, p.ID)
		sameDuty := there && sameID(o.InvigilatorID, p.InvigilatorID)
		switch moved := o.ExamDate != p.ExamDate || o.StartTime != p.StartTime || o.EndTime != p.EndTime || o.Room != p.Room; {
		case !there:
			tellPaper(c, "exam.added", e, p, p, is.students[p.ID])
		case moved:
			tellPaper(c, "exam.moved", e, p, o, is.students[p.ID])
			if sameDuty {
				tellPaper(c, "exam.moved", e, p, o, is.invigilator(p.InvigilatorID))
			}
		}
		if !sameDuty {
			tellPaper(c, "exam.duty", e, p, p, is.invigilator(p.InvigilatorID))
			tellPaper(c, "exam.duty-taken", e, o, o, was.invigilator(o.InvigilatorID))
		}
	}
	for _, p := range before {
		if _, gone := old[p.ID]; gone {
			tellPaper(c, "exam.cancelled", e, p, p, append(was.students[p.ID], was.invigilator(p.InvigilatorID)...))
		}
	}
	return nil
}

// tellPaper tells people of a paper, as it is and as it was.
func tellPaper(c api.Ctx, text string, e examRecord, p, before Paper, people []notice.Concerned) {
	day := p.ExamDate
	if day.Before(before.ExamDate) {
		day = before.ExamDate
	}
	var room any = ""
	if p.Room != "" {
		room = notice.Text{Name: "exam.room", Values: notice.Values{"room": p.Room}}
	}
	notice.Send(c, notice.ToEach(people, notice.Notice{
		Type: notice.Exam, Key: fmt.Sprintf("%s:%s:%d", text, p.ID, c.Now.UnixNano()), RecordID: e.ID, Day: day,
		Begins: notice.Earlier(p.begins(c), before.begins(c)),
		Text: notice.Text{Name: text, Values: notice.Values{"exam": e.Name, "subject": p.SubjectName, "when": p.when(), "before": before.when(),
			"room": room, "who": p.ClassName}},
	})...)
}

func (p Paper) begins(c api.Ctx) time.Time { return p.StartTime.On(p.ExamDate, c.School.Location()) }

// when is its day and its time in words.
func (p Paper) when() notice.Text {
	return notice.Text{Name: "event.span", Values: notice.Values{"date": notice.On(p.ExamDate), "from": p.StartTime, "to": p.EndTime}}
}
