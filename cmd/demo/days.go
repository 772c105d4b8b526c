package demo

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// markedDays is how far back the registers go, unless a plan or a Demo says otherwise.
const markedDays = 91

// taughtDays is how many days back class teachers have marked here; what is older comes in a file, from where it was kept before.
const taughtDays = 3

// register is a division's day that is to be marked.
type register struct {
	Day             api.Date
	DivisionID      uuid.UUID
	Class, Division string
}

// registerParts mark what is missing of the registers: of today every second division's. The days move: at a later start those since
// the last one are missing, and nothing else is. What is older than some days comes in a file beside the rest; those who look around
// while it does see today first.
func registerParts(missing []register, today api.Date) (older, taught []part) {
	at := slices.IndexFunc(missing, func(r register) bool { return r.Day.Before(today.AddDays(-taughtDays)) })
	if at < 0 {
		at = len(missing)
	}
	if late := missing[:at]; len(late) > 0 {
		taught = []part{{name: "registers", make: func(b *builder, ctx context.Context) error { return b.markDays(ctx, late) }}}
	}
	if early := missing[at:]; len(early) > 0 {
		older = []part{{name: "older registers", make: func(b *builder, ctx context.Context) error { return b.importDays(ctx, early) }}}
	}
	return older, taught
}

// markDays has class teachers mark registers.
func (b *builder) markDays(ctx context.Context, missing []register) error {
	sat, err := b.seats(missing[len(missing)-1].Day)
	if err != nil {
		return err
	}
	for _, r := range missing {
		if records, _ := sat.records(r); len(records) > 0 {
			if err := b.mark(ctx, r, records); err != nil {
				return fmt.Errorf("marking %s: %w", r.Day, err)
			}
		}
	}
	return nil
}

// importDays takes registers in as a file.
func (b *builder) importDays(ctx context.Context, missing []register) error {
	sat, err := b.seats(missing[len(missing)-1].Day)
	if err != nil {
		return err
	}
	rows := [][]string{words("admissionNumber date status")}
	for _, r := range missing {
		records, numbers := sat.records(r)
		for i, m := range records {
			rows = append(rows, []string{numbers[i], r.Day.String(), m.Status})
		}
	}
	if len(rows) == 1 {
		return nil
	}
	b.at(b.today.AddDays(-taughtDays), 7, 0, b.latest)
	return b.takeIn(ctx, "/school-admin/attendance/import", "registers", rows)
}

// missing are the registers to be marked, the latest first.
func (d *Demo) missing(p *plan, school *tenancy.School, db *gorm.DB) ([]register, error) {
	today := d.today(school)
	var found []register
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `select t.day::date as day, d.id as division_id, c.name as class, d.name as division
		from academic_year y
		cross join generate_series(greatest(y.start_date, $1::date), least(y.end_date, $2::date), interval '1 day') t (day)
		cross join division d join class c on c.id = d.class_id
		where y.active and not extract(dow from t.day)::int = any($3::int[])
			and not exists (select from holiday h where t.day between h.start_date and h.end_date and (h.all_classes
				or exists (select from holiday_class x where x.holiday_id = h.id and x.class_id = c.id)
				or exists (select from holiday_division x where x.holiday_id = h.id and x.division_id = d.id)))
			and exists (select from enrolment e join student s on s.id = e.student_id where e.division_id = d.id
				and s.deleted_at is null and t.day >= e.start_date and (e.end_date is null or t.day <= e.end_date))
			and not exists (select from attendance a where a.division_id = d.id and a.date = t.day)
		order by t.day desc, c.level, d.name`,
		Args: []any{today.AddDays(-cmp.Or(d.Days, p.days, markedDays)), today, school.WeekendDays}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("looking for days that are not marked: %w", err)
	}
	return slices.DeleteFunc(found, func(r register) bool {
		n := p.divisionNumber(r.Class, r.Division)
		return n < 0 || r.Day == today && p.openToday(n)
	}), nil
}

// divisionNumber is a division's in the plan; -1: it has none.
func (p *plan) divisionNumber(class, division string) int {
	i, j := slices.Index(p.classes, class), slices.Index(p.divisions, division)
	if i < 0 || j < 0 {
		return -1
	}
	return i*len(p.divisions) + j
}

// openToday is whether a division's register of today is left to be marked: every second's, and that of the teacher who can
// sign in.
func (p *plan) openToday(n int) bool {
	class, division := p.teachersSeat()
	return n%2 == (class*len(p.divisions)+division)%2
}

// seat is a student who sits in a division for some days.
type seat struct {
	StudentID, DivisionID uuid.UUID
	AdmissionNumber       string
	Since, Until          api.Date
}

// seats are by division.
type seats map[uuid.UUID][]seat

// seats are those of a day and all later ones.
func (b *builder) seats(from api.Date) (seats, error) {
	var found []seat
	err := b.db.Raw(`select e.student_id, e.division_id, s.admission_number, e.start_date as since, coalesce(e.end_date, ?) as until
		from enrolment e join student s on s.id = e.student_id where s.deleted_at is null and coalesce(e.end_date, ?) >= ?
		order by s.admission_number`, b.today, b.today, from).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("looking for who sits where: %w", err)
	}
	out := seats{}
	for _, s := range found {
		out[s.DivisionID] = append(out[s.DivisionID], s)
	}
	return out, nil
}

// records are the marks of a register, and the admission numbers of those marked.
func (s seats) records(r register) (records []markRecord, numbers []string) {
	for _, at := range s[r.DivisionID] {
		if !r.Day.Before(at.Since) && !at.Until.Before(r.Day) {
			records, numbers = append(records, markOf(at.StudentID, at.AdmissionNumber, r.Day)), append(numbers, at.AdmissionNumber)
		}
	}
	return records, numbers
}

// markRecord is one student's mark.
type markRecord struct {
	StudentID   uuid.UUID `json:"studentId"`
	Status      string    `json:"status"`
	LateMinutes int       `json:"lateMinutes,omitempty"`
}

// mark marks a division's day as its class teacher did that morning, or the office where there is none.
func (b *builder) mark(ctx context.Context, r register, records []markRecord) error {
	n := b.plan.divisionNumber(r.Class, r.Division)
	b.at(r.Day, 9, 5+n, b.latest)
	as, path := b.admin, "/school-admin/attendance/mark"
	if t := b.staff[b.plan.classTeacher(n)]; t != nil && t.UserID != nil {
		as, path = b.as(*t.UserID, api.Teacher), "/teacher/attendance/mark"
	}
	day := fields{"divisionId": r.DivisionID, "date": r.Day, "records": records}
	err := b.call(ctx, as, "POST", path, day, nil)
	if refused(err) || answered(err, http.StatusForbidden) { // somebody teaches, or has it, another way meanwhile
		if err = b.post(ctx, "/school-admin/attendance/mark", day, nil); refused(err) {
			return nil
		}
	}
	return err
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
