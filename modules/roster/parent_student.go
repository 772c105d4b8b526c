package roster

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Linked is the ids of the students a parent may see: their children, where the
// office lets them. Every query of a parent's is narrowed by it,
//
//	db.Where("student_id in (?)", roster.Linked(c.DB, c.User.ID))
//
// so that a link that is gone ends what they see with the next call.
func Linked(db *gorm.DB, user uuid.UUID) *gorm.DB { return db.Raw(LinkedIDs("?"), user) }

// LinkedIDs is Linked for a query that is written out: user is the argument there, $1 for example.
func LinkedIDs(user string) string {
	return `select sg.student_id from student_guardian sg
	join guardian g on g.id = sg.guardian_id join student c on c.id = sg.student_id
	where g.user_id = ` + user + ` and sg.can_view_data and c.deleted_at is null`
}

// MayView refuses, as if there were none, a student whose data the calling parent may not
// see: one who is not linked to them, or whom the office does not let them see.
func MayView(c api.Ctx, student uuid.UUID) error {
	if err := tenancy.Pipeline(c.DB, MayViewQuery(c, student)); err != nil {
		return fmt.Errorf("looking for a guardian's student: %w", err)
	}
	return nil
}

// MayViewQuery is MayView as a query that travels with what the parent wants to see. It goes
// first: its refusal is the answer, no matter what the queries after it find.
func MayViewQuery(c api.Ctx, student uuid.UUID) tenancy.Query {
	return tenancy.Query{SQL: `select from student_guardian sg join guardian g on g.id = sg.guardian_id join student s on s.id = sg.student_id
		where g.user_id = $1 and sg.student_id = $2 and sg.can_view_data and s.deleted_at is null limit 1`,
		Args: []any{c.User.ID, student}, Scan: func(rows pgx.Rows) error {
			if !rows.Next() && rows.Err() == nil {
				return ErrNoStudent
			}
			return nil
		}}
}

// Children is the answer the apps expect.
type Children struct {
	Students []StudentItem `json:"students"`
	Total    int           `json:"total"`
}

type childrenIn struct {
	AcademicYearID *uuid.UUID `json:"academicYearId" doc:"Those enrolled in that year, where they sat then; without it, where they sit today"`
}

// listChildren lists a parent's children. Asked for a year, it lists those who were
// enrolled in it, and for the active one also those who wait to be placed.
func listChildren(c api.Ctx, r childrenIn) (Children, error) {
	if r.AcademicYearID == nil {
		return childrenBy(c, "true", seatColumn)
	}
	year, err := api.Find[AcademicYear](c, "academic year", c.DB, *r.AcademicYearID)
	if err != nil {
		return Children{}, err
	}
	if day := c.Today(); year.EndDate.Before(day) || day.Before(year.StartDate) {
		return childrenOfYear(c, year)
	}
	return childrenBy(c, `(`+enrolledInYear+` or ($4 and student.status = 'ACTIVE' and not exists (select from enrolment e
		where e.student_id = student.id and `+covers+`)))`, seatColumn, year.ID, year.Active)
}

// enrolledInYear holds for a student who is enrolled in the academic year $3.
const enrolledInYear = `exists (select from enrolment e where e.student_id = student.id and e.academic_year_id = $3)`

// childrenOfYear are the children as they sat at the end of a year that is over, or
// will sit at the beginning of one to come.
func childrenOfYear(c api.Ctx, year AcademicYear) (Children, error) {
	seat := `(` + seatOfEnrolment + `e.academic_year_id = $3 order by e.start_date desc limit 1) as seat`
	return childrenBy(c, enrolledInYear, seat, year.ID)
}

// childrenBy are the children for whom a condition holds, with a seat; args are the statement's from $3 on.
func childrenBy(c api.Ctx, which, seat string, args ...any) (Children, error) {
	out := Children{Students: []StudentItem{}}
	var found []seated
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select ` + summaryColumns + `, ` + seat + `
		from student, (select $1::date as day) as today
		where student.deleted_at is null and student.id in (` + LinkedIDs("$2") + `) and ` + which + `
		order by student.first_name, student.id`,
		Args: append([]any{c.Today(), c.User.ID}, args...), Scan: tenancy.Collect(&found)})
	if err != nil {
		return out, fmt.Errorf("listing children: %w", err)
	}
	for _, s := range found {
		out.Students = append(out.Students, StudentItem{s.Seat, s.StudentSummary})
	}
	out.Total = len(out.Students)
	return out, nil
}

// Child is what a parent sees of a child: not who else answers for them, nor what
// the office keeps for itself.
type Child struct {
	StudentItem
	BloodGroup            string          `json:"bloodGroup"`
	Address               string          `json:"address"`
	Email                 string          `json:"email"`
	MedicalNotes          string          `json:"medicalNotes"`
	Allergies             string          `json:"allergies"`
	EmergencyContactName  string          `json:"emergencyContactName"`
	EmergencyContactPhone api.Phone       `json:"emergencyContactPhone"`
	Link                  LinkFields      `json:"link" doc:"What you are to the child"`
	Enrolments            []EnrolmentView `json:"enrolments"`
}

func getChild(c api.Ctx, r byID) (Child, error) {
	type row struct {
		StudentSummary
		BloodGroup, Address, Email, MedicalNotes, Allergies, EmergencyContactName string
		EmergencyContactPhone                                                     api.Phone
		Seat                                                                      Seat
		LinkFields
	}
	var found []row
	out := Child{}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select ` + summaryColumns + `, student.blood_group, student.address, student.email, student.medical_notes,
			student.allergies,
				student.emergency_contact_name, student.emergency_contact_phone, ` + seatColumn + `,
				sg.relation, sg.is_primary, sg.has_custody, sg.can_view_data, sg.can_pick_up, sg.is_fee_payer
			from student join student_guardian sg on sg.student_id = student.id
			join guardian g on g.id = sg.guardian_id, (select $2::date as day) as today
			where student.id = $1 and g.user_id = $3 and sg.can_view_data and student.deleted_at is null`,
			Args: []any{r.ID, c.Today(), c.User.ID}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: selectEnrolments, Args: []any{r.ID}, Scan: tenancy.Collect(&out.Enrolments)},
	)
	if err != nil {
		return out, fmt.Errorf("reading a child: %w", err)
	}
	if len(found) == 0 {
		return Child{}, ErrNoStudent
	}
	s := found[0]
	out.StudentItem, out.Link = StudentItem{s.Seat, s.StudentSummary}, s.LinkFields
	out.BloodGroup, out.Address, out.Email, out.MedicalNotes, out.Allergies = s.BloodGroup, s.Address, s.Email, s.MedicalNotes, s.Allergies
	out.EmergencyContactName, out.EmergencyContactPhone = s.EmergencyContactName, s.EmergencyContactPhone
	return out, nil
}
