package demo

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// markedDays is how far back the registers go, unless a Demo says otherwise.
const markedDays = 91

// register is a division's day that is to be marked.
type register struct {
	day      api.Date
	n        int // the division's number in the plan
	division uuid.UUID
}

// markDays marks the registers of the last three months that are not marked: of today every second division's. The days
// move: at a later start those since the last one are missing, and nothing else is.
func (d *Demo) markDays(ctx context.Context, p *plan, school *tenancy.School, db *gorm.DB) error {
	missing, err := d.missing(p, school, db)
	if err != nil || len(missing) == 0 {
		return err
	}
	hands := 2
	if len(missing) < p.allDivisions()*5 {
		hands = 1
	}
	all, ctx := errgroup.WithContext(ctx)
	for hand := range hands {
		all.Go(func() error {
			b, err := d.build(p, school, db)
			if err == nil {
				err = b.readPeople(ctx)
			}
			if err != nil {
				return err
			}
			seated := b.seated()
			for _, r := range missing {
				if r.n%hands == hand {
					if err := b.mark(ctx, r, seated[r.division]); err != nil {
						return fmt.Errorf("marking %s: %w", r.day, err)
					}
				}
			}
			return nil
		})
	}
	return all.Wait()
}

// missing are the registers to be marked, the latest first: who looks around while they are made sees today and this week.
func (d *Demo) missing(p *plan, school *tenancy.School, db *gorm.DB) ([]register, error) {
	today := d.today(school)
	from := today.AddDays(-cmp.Or(d.Days, markedDays))
	var found struct {
		years     []struct{ StartDate, EndDate api.Date }
		holidays  []struct{ StartDate, EndDate api.Date }
		divisions []struct {
			ID              uuid.UUID
			Class, Division string
		}
		marked []struct {
			DivisionID uuid.UUID
			Date       api.Date
		}
	}
	for _, q := range []struct {
		into any
		sql  string
		args []any
	}{
		{&found.years, `select start_date, end_date from academic_year where active`, nil},
		{&found.holidays, `select start_date, end_date from holiday where all_classes and end_date >= ?`, []any{from}},
		{&found.divisions, `select d.id, c.name as class, d.name as division from division d join class c on c.id = d.class_id`, nil},
		{&found.marked, `select distinct division_id, date from attendance where date >= ?`, []any{from}},
	} {
		if err := db.Raw(q.sql, q.args...).Scan(q.into).Error; err != nil {
			return nil, fmt.Errorf("looking for days that are not marked: %w", err)
		}
	}
	if len(found.years) == 0 {
		return nil, nil
	}
	year, done := found.years[0], map[register]bool{}
	if from.Before(year.StartDate) {
		from = year.StartDate
	}
	for _, m := range found.marked {
		done[register{day: m.Date, division: m.DivisionID}] = true
	}
	var out []register
	for day := from; !today.Before(day) && !year.EndDate.Before(day); day = day.AddDays(1) {
		if slices.Contains(school.WeekendDays, int16(day.In(time.UTC).Weekday())) ||
			slices.ContainsFunc(found.holidays, func(h struct{ StartDate, EndDate api.Date }) bool {
				return !day.Before(h.StartDate) && !h.EndDate.Before(day)
			}) {
			continue
		}
		for _, x := range found.divisions {
			class, division := slices.Index(p.classes, x.Class), slices.Index(p.divisions, x.Division)
			n := class*len(p.divisions) + division
			if class < 0 || division < 0 || done[register{day: day, division: x.ID}] || day == today && p.openToday(n) {
				continue
			}
			out = append(out, register{day, n, x.ID})
		}
	}
	slices.SortStableFunc(out, func(a, b register) int {
		if a.day != b.day {
			if b.day.Before(a.day) {
				return -1
			}
			return 1
		}
		return a.n - b.n
	})
	return out, nil
}

// openToday is whether a division's register of today is left to be marked: every second's, and that of the teacher who can
// sign in.
func (p *plan) openToday(n int) bool {
	class, division := p.teachersSeat()
	return n%2 == (class*len(p.divisions)+division)%2
}

// seated are the students of each division, as they sit today.
func (b *builder) seated() map[uuid.UUID][]*learner {
	out := map[uuid.UUID][]*learner{}
	for _, s := range b.students {
		if s.DivisionID != nil {
			out[*s.DivisionID] = append(out[*s.DivisionID], s)
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b *learner) int { return compareText(a.AdmissionNumber, b.AdmissionNumber) })
	}
	return out
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// markRecord is one student's mark.
type markRecord struct {
	StudentID   uuid.UUID `json:"studentId"`
	Status      string    `json:"status"`
	LateMinutes int       `json:"lateMinutes,omitempty"`
}

// mark marks a division's day as its class teacher did that morning. Who moved or left since is not on the roster of that
// day: then the register itself says who was, and the office marks.
func (b *builder) mark(ctx context.Context, r register, students []*learner) error {
	b.at(r.day, 9, 5+r.n, b.latest)
	if len(students) > 0 {
		records := make([]markRecord, len(students))
		for i, s := range students {
			records[i] = markOf(s.ID, s.AdmissionNumber, r.day)
		}
		as, path := b.admin, "/school-admin/attendance/mark"
		if t := b.staff[b.plan.classTeacher(r.n)]; t != nil && t.UserID != nil {
			as, path = b.as(*t.UserID, api.Teacher), "/teacher/attendance/mark"
		}
		err := b.call(ctx, as, "POST", path, fields{"divisionId": r.division, "date": r.day, "records": records}, nil)
		if !refused(err) {
			return err
		}
	}
	var sheet struct {
		DayOff   string
		Students []struct {
			StudentID       uuid.UUID
			AdmissionNumber string
		}
	}
	if err := b.get(ctx, "/school-admin/attendance/register?divisionId="+r.division.String()+"&date="+r.day.String(), &sheet); err != nil {
		return err
	}
	if sheet.DayOff != "" || len(sheet.Students) == 0 {
		return nil
	}
	records := make([]markRecord, len(sheet.Students))
	for i, s := range sheet.Students {
		records[i] = markOf(s.StudentID, s.AdmissionNumber, r.day)
	}
	return b.post(ctx, "/school-admin/attendance/mark", fields{"divisionId": r.division, "date": r.day, "records": records}, nil)
}

// markOf is whether a student came: the same for the same student and day.
func markOf(id uuid.UUID, number string, day api.Date) markRecord {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(number + day.String()))
	switch x := sum.Sum32() % 1000; {
	case x < 38:
		return markRecord{id, "ABSENT", 0}
	case x < 60:
		return markRecord{id, "LATE", 5 + int(x)%25}
	case x < 68:
		return markRecord{id, "LEAVE", 0}
	}
	return markRecord{id, "PRESENT", 0}
}

// classTeacher is the code of a division's class teacher.
func (p *plan) classTeacher(n int) string {
	for _, e := range p.staff() {
		if e.kind == "TEACHER" && e.group == n/teacherGroup && e.subject == n%teacherGroup {
			return e.code
		}
	}
	return ""
}
