package roster

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
	"homeroom/tenancy"
)

// Bonafide certifies that a student is at the school, for a passport, a bank or a bus pass.
type Bonafide struct {
	Certificate
	Snapshot BonafideSnapshot `json:"snapshot" gorm:"serializer:json"`
}

// TableName is what the list's query is called.
func (Bonafide) TableName() string { return "certificate" }

// BonafideSnapshot is what the certificate says.
type BonafideSnapshot struct {
	CertificateSnapshot
	DateOfBirth   *api.Date `json:"dateOfBirth"`
	AdmissionDate *api.Date `json:"admissionDate"`
	YearName      string    `json:"yearName"`
}

type bonafideIn struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	Purpose   string    `json:"purpose" validate:"max=200" doc:"Printed on it" example:"Passport application"`
}

var errNotInClass = api.Conflict("This student is not in a class today")

// issueBonafide is for students who are here: in a class, today.
func issueBonafide(c api.Ctx, r bonafideIn) (Bonafide, error) {
	s, snapshot, err := CertifyStudent(c, r.StudentID)
	if err != nil {
		return Bonafide{}, err
	}
	if s.Status != "ACTIVE" || s.DivisionID == nil {
		return Bonafide{}, errNotInClass
	}
	out := Bonafide{Snapshot: BonafideSnapshot{CertificateSnapshot: snapshot, DateOfBirth: s.DateOfBirth, AdmissionDate: s.AdmissionDate}}
	for _, e := range s.Enrolments {
		if !c.Today().Before(e.StartDate) && (e.EndDate == nil || !e.EndDate.Before(c.Today())) {
			out.Snapshot.ClassName, out.Snapshot.DivisionName, out.Snapshot.YearName = e.ClassName, e.DivisionName, e.AcademicYearName
		}
	}
	issued, err := IssueCertificate(c, "BONAFIDE", "bonafide certificate", r.StudentID, r.Purpose, out.Snapshot)
	if err != nil {
		return out, err
	}
	return bonafideBy(c, issued.ID)
}

func bonafideBy(c api.Ctx, id uuid.UUID) (Bonafide, error) {
	var found []Bonafide
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: SelectCertificates + `'BONAFIDE' and x.id = $1`, Args: []any{id},
		Scan: tenancy.Collect(&found)})
	if err != nil {
		return Bonafide{}, fmt.Errorf("reading a certificate: %w", err)
	}
	if len(found) == 0 {
		return Bonafide{}, api.NotFound("certificate")
	}
	return found[0], nil
}

func listBonafides(c api.Ctx, l api.ListRequest) (api.Page[Bonafide], error) {
	return api.Fetch[Bonafide](c.DB.Table("(?) as certificate", c.DB.Raw(SelectCertificates+`'BONAFIDE'`)), l)
}

func (m *Module) getBonafide(c api.Ctx, r CertificateRequest) (out api.MaybeFile[Bonafide], err error) {
	if out.Data, err = bonafideBy(c, r.ID); err != nil || r.Format != "pdf" {
		return out, err
	}
	out.File, err = m.printBonafide(c, out.Data)
	return out, err
}

func (m *Module) printBonafide(c api.Ctx, b Bonafide) (*api.File, error) {
	head, err := m.Letterhead(c)
	if err != nil {
		return nil, err
	}
	return b.pdf(c, head)
}

// pdf is the certificate as it is signed and stamped.
func (b Bonafide) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	s, f := b.Snapshot, paper.FiguresOf(c.School.Writes())
	day := func(d *api.Date) string {
		if d == nil {
			return ""
		}
		return f.Day(d.Year, d.Month, d.Day)
	}
	issued := api.DateOf(b.CreatedAt.In(c.School.Location()))
	doc := paper.New(s.Under(head), "Bonafide certificate")
	doc.Pairs([2]string{"Certificate no.", fmt.Sprint(b.Number)}, [2]string{"Date of issue", day(&issued)})
	doc.Gap(3)
	doc.Text("This is to certify that the student named below is a bonafide student of this school, " +
		"and that these particulars are as in its records.")
	doc.Gap(2)
	for _, field := range [][2]string{{"Name of the student", FullName(s.FirstName, s.LastName)},
		{"Parents or guardians", strings.Join(s.Guardians, ", ")}, {"Admission no.", s.AdmissionNumber},
		{"Class", strings.TrimSpace(s.ClassName + " " + s.DivisionName)}, {"Academic year", s.YearName},
		{"At the school since", day(s.AdmissionDate)}, {"Date of birth", day(s.DateOfBirth)}, {"Issued for", b.Purpose}} {
		if field[1] != "" {
			doc.Field(field[0], field[1])
		}
	}
	doc.Signatures("Office", head.Head())
	body, err := doc.Bytes()
	return &api.File{Name: fmt.Sprintf("bonafide-certificate-%d.pdf", b.Number), ContentType: "application/pdf", Body: body}, err
}
