package exam

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Remark is what the class teacher says of a student's year, on the report card.
type Remark struct {
	api.Record
	StudentID      uuid.UUID `json:"studentId"`
	AcademicYearID uuid.UUID `json:"academicYearId"`
	Remark         string    `json:"remark"`
}

// TableName is the record's table.
func (Remark) TableName() string { return "report_card_remark" }

// principalRemark is what the principal says of it, beside the class teacher.
type principalRemark struct{ Remark }

// TableName is the record's table.
func (principalRemark) TableName() string { return "principal_remark" }

// CardRemark is a remark on the card.
type CardRemark struct {
	Remark    string    `json:"remark"`
	By        string    `json:"by" doc:"Who wrote it last"`
	UpdatedAt time.Time `json:"updatedAt"`
	Version   int       `json:"version"`
}

// RemarkFields are what is said.
type RemarkFields struct {
	AcademicYearID uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
	Remark         *string   `json:"remark" validate:"required,max=1000" doc:"An empty one takes it off"`
}

type officeRemark struct {
	StudentID uuid.UUID `path:"studentId"`
	RemarkFields
}

// officeRemarks writes any student's remark.
func officeRemarks(c api.Ctx, r officeRemark) (Remark, error) {
	if err := refuseStranger(c, r.StudentID, "true"); err != nil {
		return Remark{}, err
	}
	return teacherTable.write(c, r.StudentID, r.RemarkFields)
}

// principalRemarks writes the principal's remark of any student.
func principalRemarks(c api.Ctx, r officeRemark) (Remark, error) {
	if err := refuseStranger(c, r.StudentID, "true"); err != nil {
		return Remark{}, err
	}
	return principalTable.write(c, r.StudentID, r.RemarkFields)
}

type teacherRemark struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	RemarkFields
}

// ledSQL is the students a class teacher leads: those who sit in their divisions on a
// day. Its arguments are the user and the day, twice.
const ledSQL = `select e.student_id from enrolment e join teacher_assignment a on a.division_id = e.division_id
	where a.user_id = ? and e.start_date <= ? and (e.end_date is null or e.end_date >= ?) and ` + roster.LeadsNow

// teacherRemarks writes the remark of a student whom the caller leads; others are not
// there for them.
func teacherRemarks(c api.Ctx, r teacherRemark) (Remark, error) {
	if err := refuseStranger(c, r.StudentID, `s.id in (`+ledSQL+`)`, c.User.ID, c.Today(), c.Today()); err != nil {
		return Remark{}, err
	}
	return teacherTable.write(c, r.StudentID, r.RemarkFields)
}

// refuseStranger refuses a student s whom a condition does not hold for.
func refuseStranger(c api.Ctx, student uuid.UUID, where string, args ...any) error {
	var there bool
	err := c.DB.Raw(`select exists (select from student s where s.id = ? and s.deleted_at is null and `+where+`)`,
		append([]any{student}, args...)...).Scan(&there).Error
	if err != nil {
		return fmt.Errorf("looking for a student: %w", err)
	}
	if !there {
		return roster.ErrNoStudent
	}
	return nil
}

// remarkTable is where remarks of one kind are kept.
type remarkTable struct {
	name   string
	change func(c api.Ctx, id uuid.UUID, text string) (Remark, error)
	add    func(c api.Ctx, made Remark) (Remark, error)
}

var teacherTable = remarkTable{
	name: Remark{}.TableName(),
	change: func(c api.Ctx, id uuid.UUID, text string) (Remark, error) {
		return api.Update(c, "remark", id, func(now *Remark) error {
			now.Remark = text
			return nil
		})
	},
	add: func(c api.Ctx, made Remark) (Remark, error) {
		err := api.Insert(c, "remark", &made)
		return made, err
	},
}

var principalTable = remarkTable{
	name: principalRemark{}.TableName(),
	change: func(c api.Ctx, id uuid.UUID, text string) (Remark, error) {
		done, err := api.Update(c, "principal's remark", id, func(now *principalRemark) error {
			now.Remark.Remark = text
			return nil
		})
		return done.Remark, err
	},
	add: func(c api.Ctx, made Remark) (Remark, error) {
		row := principalRemark{made}
		err := api.Insert(c, "principal's remark", &row)
		return row.Remark, err
	},
}

// write puts a remark where there is none, or in the place of the one there is.
func (t remarkTable) write(c api.Ctx, student uuid.UUID, r RemarkFields) (Remark, error) {
	year, err := cardYear(c, r.AcademicYearID)
	if err != nil {
		return Remark{}, err
	}
	if year.ID == uuid.Nil {
		return Remark{}, errNoYear
	}
	var found []uuid.UUID
	err = c.DB.Table(t.name).Clauses(clause.Locking{Strength: "UPDATE"}).Where("student_id = ? and academic_year_id = ?", student,
		year.ID).Pluck("id", &found).Error
	if err != nil {
		return Remark{}, fmt.Errorf("reading a remark: %w", err)
	}
	if len(found) > 0 {
		return t.change(c, found[0], *r.Remark)
	}
	if v := c.SentVersion(); v != nil && *v != 0 {
		return Remark{}, api.Conflict("There is no remark on this card yet: you have version %d", *v)
	}
	return t.add(c, Remark{StudentID: student, AcademicYearID: year.ID, Remark: *r.Remark})
}

// studentRemark is a remark and whose card it is on.
type studentRemark struct {
	StudentID uuid.UUID
	CardRemark
}

// remarksIn reads the remarks on cards from a table of them: $1 are the students, $2 is the year.
func remarksIn(table string) string {
	return `select m.student_id, m.remark,
	coalesce(trim(p.first_name || ' ' || p.last_name), trim(u.first_name || ' ' || u.last_name),
	'') as by, m.updated_at, m.version
	from ` + table + ` m left join app_user u on u.id = m.updated_by left join employee p on p.user_id = m.updated_by
	where m.student_id = any($1) and m.academic_year_id = $2 and m.remark <> ''`
}

// StudentRemark is a student whose class teacher the caller is, and what the card says.
type StudentRemark struct {
	StudentID       uuid.UUID `json:"studentId"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	RollNumber      *int      `json:"rollNumber"`
	DivisionID      uuid.UUID `json:"divisionId"`
	Remark          string    `json:"remark"`
	Version         int       `json:"version" doc:"0 where nothing was written yet"`
}

// StudentRemarks are those of the divisions a teacher leads.
type StudentRemarks struct {
	Students []StudentRemark `json:"students"`
}

// teachersRemarks is the class teacher's list for the active year.
func teachersRemarks(c api.Ctx, _ api.Nothing) (StudentRemarks, error) {
	out := StudentRemarks{Students: []StudentRemark{}}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id as student_id, s.admission_number, s.first_name, s.last_name, e.roll_number,
		e.division_id,
			coalesce(m.remark, '') as remark, coalesce(m.version, 0) as version
		from enrolment e join student s on s.id = e.student_id and s.deleted_at is null
		left join report_card_remark m on m.student_id = s.id and m.academic_year_id = e.academic_year_id
		where e.division_id in (select a.division_id from teacher_assignment a where a.user_id = $1 and ` + roster.LeadsNow + `)
			and e.start_date <= $2 and (e.end_date is null or e.end_date >= $2)
		order by e.division_id, e.roll_number nulls last, s.first_name, s.id
		limit 2000`, Args: []any{c.User.ID, c.Today()}, Scan: tenancy.Collect(&out.Students)})
	if err != nil {
		return out, fmt.Errorf("reading a class's remarks: %w", err)
	}
	return out, nil
}
