package roster

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
)

// Certificate is what every certificate but the leaving certificate has. It is never changed.
type Certificate struct {
	ID              uuid.UUID  `json:"id"`
	Number          int        `json:"number" doc:"Without gaps, by school and kind of certificate"`
	StudentID       uuid.UUID  `json:"studentId"`
	StudentName     string     `json:"studentName" doc:"On the day of issue"`
	AdmissionNumber string     `json:"admissionNumber"`
	Purpose         string     `json:"purpose"`
	CreatedBy       *uuid.UUID `json:"createdBy"`
	CreatedByName   string     `json:"createdByName"`
	CreatedAt       time.Time  `json:"createdAt"`
}

// CertificateSnapshot is what every certificate says: later changes do not alter it.
type CertificateSnapshot struct {
	SchoolName      string   `json:"schoolName"`
	SchoolAddress   string   `json:"schoolAddress"`
	AdmissionNumber string   `json:"admissionNumber"`
	FirstName       string   `json:"firstName"`
	LastName        string   `json:"lastName"`
	Guardians       []string `json:"guardians"`
	ClassName       string   `json:"className" doc:"Where they sat on the day of issue or, of a fee certificate, at the end of its days; or last before it"`
	DivisionName    string   `json:"divisionName"`
}

// SelectCertificates reads certificates; their kind and more conditions on them, x, follow.
const SelectCertificates = `select x.id, x.number, x.student_id,
		trim((x.snapshot->>'firstName') || ' ' || (x.snapshot->>'lastName')) as student_name,
		x.snapshot->>'admissionNumber' as admission_number, x.purpose, x.snapshot, x.created_by,
		coalesce(trim(u.first_name || ' ' || u.last_name), '') as created_by_name, x.created_at
	from certificate x left join app_user u on u.id = x.created_by where x.kind = `

// CertificateListing is how certificates are listed: the latest first.
var CertificateListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "number": "number"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{"search": api.Search("student_name", "admission_number", "purpose"), "studentId": api.ByID("student_id")},
}

// CertificateRequest names a certificate, to be read or printed.
type CertificateRequest struct {
	ID     uuid.UUID `path:"id"`
	Format string    `json:"format" validate:"omitempty,oneof=json pdf" doc:"pdf gives the printable certificate"`
}

// CertifyStudent begins a certificate's snapshot with what is known of a student.
func CertifyStudent(c api.Ctx, student uuid.UUID) (StudentDetail, CertificateSnapshot, error) {
	s, err := studentDetail(c, student)
	if err != nil {
		return s, CertificateSnapshot{}, err
	}
	of := s.snapshot(c.School, s.Status, c.Today())
	return s, CertificateSnapshot{SchoolName: of.SchoolName, SchoolAddress: of.SchoolAddress, AdmissionNumber: of.AdmissionNumber,
		FirstName: of.FirstName, LastName: of.LastName, Guardians: of.Guardians, ClassName: of.LastClass, DivisionName: of.LastDivision}, nil
}

// IssueCertificate gives a certificate the next number of its kind and keeps what it says, which has
// a CertificateSnapshot in it. A failure anywhere gives the number back.
func IssueCertificate(c api.Ctx, kind, series string, student uuid.UUID, purpose string, snapshot any) (Certificate, error) {
	raw, err := json.Marshal(snapshot)
	if err != nil {
		return Certificate{}, err
	}
	number, err := lockSeries(c, series)
	if err != nil {
		return Certificate{}, err
	}
	out := Certificate{ID: api.NewID(), Number: int(number), StudentID: student, Purpose: purpose, CreatedBy: &c.User.ID, CreatedAt: c.Now}
	err = c.DB.Exec(`with taken as (update number_series set next = next + 1 where name = ?)
		insert into certificate (id, kind, number, student_id, purpose, snapshot, created_by, created_at)
		values (?, ?, ?, ?, ?, ?::jsonb, ?, ?)`,
		series, out.ID, kind, out.Number, student, purpose, string(raw), c.User.ID, c.Now).Error
	if err != nil {
		return out, fmt.Errorf("issuing a certificate: %w", err)
	}
	c.Changed("create", series, out.ID, nil, out)
	return out, nil
}

// Under is the letterhead of the day of issue.
func (s CertificateSnapshot) Under(head paper.Letterhead) paper.Letterhead {
	head.Name = s.SchoolName
	if s.SchoolAddress != "" {
		head.Lines = append(paper.AddressLines(s.SchoolAddress), head.Reach...)
	}
	return head
}
