package attendance

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// DayRegister is a division on a day: who was to come, and who came.
type DayRegister struct {
	frame
	RegisterDay
}

// RegisterDay is the day and the marks of a register.
type RegisterDay struct {
	Date   api.Date `json:"date"`
	DayOff string   `json:"dayOff" doc:"What keeps the division at home; empty on a school day" example:"Diwali"`
	Counts
	Unmarked int             `json:"unmarked"`
	Students []RegisterEntry `json:"students" doc:"Who was on the roster that day, by roll number, then name; of a group by division first"`
}

// RegisterEntry is one student of a register.
type RegisterEntry struct {
	StudentID       uuid.UUID  `json:"studentId"`
	RollNumber      *int       `json:"rollNumber"`
	AdmissionNumber string     `json:"admissionNumber"`
	FirstName       string     `json:"firstName"`
	LastName        string     `json:"lastName"`
	Division        string     `json:"division" doc:"Of a group's lesson: where they sit; else empty" example:"Class 9 A"`
	Status          *string    `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE,HOLIDAY" doc:"PRESENT, ABSENT, LATE or LEAVE; HOLIDAY on a day off; null while it is not marked"`
	LateMinutes     *int       `json:"lateMinutes"`
	HalfDay         bool       `json:"halfDay" doc:"Of LEAVE: half a day"`
	Remark          string     `json:"remark"`
	Source          string     `json:"source" enum:"TEACHER,ADMIN,LEAVE,LESSON,''"`
	LeaveID         *uuid.UUID `json:"leaveId"`
	MarkedBy        *uuid.UUID `json:"markedBy"`
	MarkedAt        *time.Time `json:"markedAt"`
	Version         int        `json:"version" doc:"0 while it is not marked"`
}

type registerRequest struct {
	DivisionID uuid.UUID `json:"divisionId" validate:"required"`
	Date       api.Date  `json:"date" doc:"Today unless given"`
}

func registerDivision(_ api.Ctx, r registerRequest) (api.Target, error) {
	return api.Target{DivisionID: r.DivisionID}, nil
}

func readRegister(c api.Ctx, r registerRequest) (DayRegister, error) {
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	var frames []frame
	out := DayRegister{RegisterDay: RegisterDay{Date: r.Date}}
	calendar, holidays := reading(c, r.Date, r.Date)
	holidays.ForceGenericPlan = true // as the others around it
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: selectFrame, Args: []any{[]uuid.UUID{r.DivisionID}}, Scan: tenancy.Collect(&frames), ForceGenericPlan: true},
		holidays,
		tenancy.Query{SQL: `select s.id as student_id, e.roll_number, s.admission_number, s.first_name, s.last_name,
				a.status, a.late_minutes, coalesce(a.half_day, false) as half_day, coalesce(a.remark, '') as remark,
				coalesce(a.source, '') as source, a.leave_id, a.marked_by, a.marked_at, coalesce(a.version, 0) as version
			from enrolment e join student s on s.id = e.student_id left join attendance a on a.student_id = s.id and a.date = $2
			where ` + onRosterOfOne + ` order by e.roll_number nulls last, s.first_name, s.last_name, s.id`,
			Args: []any{[]uuid.UUID{r.DivisionID}, r.Date, r.Date.Before(c.Today())}, Scan: tenancy.Collect(&out.Students),
			ForceGenericPlan: true},
	)
	if err != nil {
		return out, fmt.Errorf("reading a register: %w", err)
	}
	if len(frames) == 0 {
		return out, api.NotFound("division")
	}
	out.frame = frames[0]
	if out.DayOff = calendar.off(out.ClassID, out.DivisionID, r.Date); out.DayOff != "" {
		holiday := "HOLIDAY"
		for i := range out.Students {
			out.Students[i].Status = &holiday
		}
		return out, nil
	}
	out.tally()
	return out, nil
}

// tally counts the marks of the register.
func (p *RegisterDay) tally() {
	for _, s := range p.Students {
		if s.Status == nil {
			p.Unmarked++
			continue
		}
		p.add(*s.Status, s.HalfDay)
	}
}

// Unmarked is what is still to be marked on a day.
type Unmarked struct {
	Date      api.Date           `json:"date"`
	Divisions []UnmarkedDivision `json:"divisions" doc:"Those that have school that day and students without a mark"`
}

// UnmarkedDivision is a division with students who have no mark.
type UnmarkedDivision struct {
	DivisionID       uuid.UUID `json:"divisionId"`
	DivisionName     string    `json:"divisionName"`
	ClassID          uuid.UUID `json:"classId"`
	ClassName        string    `json:"className"`
	ClassTeacherName string    `json:"classTeacherName"`
	Students         int       `json:"students"`
	Unmarked         int       `json:"unmarked"`
}

type unmarkedRequest struct {
	Date api.Date `json:"date" doc:"Today unless given"`
}

func unmarked(c api.Ctx, r unmarkedRequest) (Unmarked, error) {
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	if c.Today().Before(r.Date) {
		return Unmarked{}, api.InvalidField("date", "%s is in the future", r.Date)
	}
	out := Unmarked{Date: r.Date}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `
		select d.id as division_id, d.name as division_name, k.id as class_id, k.name as class_name, n.students, n.unmarked,
			coalesce((select trim(p.first_name || ' ' || p.last_name) from teacher_assignment a join employee p on p.user_id = a.user_id
			and p.status = 'ACTIVE'
				where a.division_id = d.id and ` + roster.LeadsNow + ` limit 1), '') as class_teacher_name
		from (select e.division_id, count(*)::int as students, count(*) filter (where a.id is null)::int as unmarked
			from enrolment e join student s on s.id = e.student_id left join attendance a on a.student_id = s.id and a.date = $1
			where e.start_date <= $1 and (e.end_date is null or e.end_date >= $1) and (s.deleted_at is null or $2) group by e.division_id) n
		join division d on d.id = n.division_id join class k on k.id = d.class_id
		where n.unmarked > 0 and ` + isOpen("$1::date", "d.class_id", "d.id", "$3") + `
		order by k.level, k.name, d.name,
		d.id`, Args: []any{r.Date, r.Date.Before(c.Today()), weekend(c)}, Scan: tenancy.Collect(&out.Divisions)})
	if err != nil {
		return out, fmt.Errorf("looking for what is not marked: %w", err)
	}
	return out, nil
}

// Absent are those of these students who are marked absent on a day.
func (m *Module) Absent(db *gorm.DB, day api.Date, students []uuid.UUID) ([]uuid.UUID, error) {
	var absent []uuid.UUID
	err := db.Raw(`select student_id from attendance where student_id in ? and date = ? and status = 'ABSENT'`, students,
		day).Scan(&absent).Error
	if err != nil {
		return nil, fmt.Errorf("looking who is absent: %w", err)
	}
	return absent, nil
}
