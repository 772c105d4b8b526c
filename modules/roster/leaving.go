package roster

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// leaving is what the office says of a student who leaves.
type leaving struct {
	ID          uuid.UUID `path:"id"`
	LeavingDate *api.Date `json:"leavingDate" doc:"Their last day; today unless given"`
	Reason      string    `json:"reason" validate:"notblank,max=500" example:"Moved to another city"`
	Conduct     string    `json:"conduct" validate:"max=200" example:"Good"`
	Status      string    `json:"status" validate:"omitempty,oneof=TRANSFERRED GRADUATED WITHDRAWN" doc:"TRANSFERRED unless given"`
}

// LeavingCertificate says that a student was here and left, as things stood that day.
type LeavingCertificate struct {
	ID          uuid.UUID       `json:"id"`
	Number      int             `json:"number" doc:"Without gaps, by school"`
	StudentID   uuid.UUID       `json:"studentId"`
	LeavingDate api.Date        `json:"leavingDate"`
	Reason      string          `json:"reason"`
	Conduct     string          `json:"conduct"`
	Snapshot    LeavingSnapshot `json:"snapshot" gorm:"serializer:json"`
	CreatedBy   *uuid.UUID      `json:"createdBy"`
	CreatedAt   time.Time       `json:"createdAt"`
}

// LeavingSnapshot is what the certificate says: later changes do not alter it.
type LeavingSnapshot struct {
	SchoolName      string    `json:"schoolName"`
	SchoolAddress   string    `json:"schoolAddress"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	Gender          string    `json:"gender" enum:"FEMALE,MALE,OTHER,''"`
	DateOfBirth     *api.Date `json:"dateOfBirth"`
	AdmissionDate   api.Date  `json:"admissionDate"`
	AdmittedTo      string    `json:"admittedTo" doc:"The class they sat in on the day of admission; empty where that is not known"`
	LastClass       string    `json:"lastClass"`
	LastDivision    string    `json:"lastDivision"`
	LastYear        string    `json:"lastYear"`
	Guardians       []string  `json:"guardians"`
	Status          string    `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,WITHDRAWN"`
	Subjects        []string  `json:"subjects" doc:"Those that the student took in the last class"`
	Outstanding     *int64    `json:"outstanding" doc:"What was owed on the day of issue, in minor units; null on old certificates"`
	BooksOut        []string  `json:"booksOut" doc:"Titles that were not returned on the day of issue"`
}

// transferStudent lets a student leave: the last enrolment ends on the leaving date,
// and the certificate gets the next number. A failure anywhere gives the number back.
func (m *Module) transferStudent(c api.Ctx, r leaving) (LeavingCertificate, error) {
	s, err := lockStudent(c, r.ID)
	if err != nil {
		return LeavingCertificate{}, err
	}
	if s.Status != "ACTIVE" {
		return LeavingCertificate{}, api.Conflict("This student is %s already", s.Status)
	}
	last := c.Today()
	if r.LeavingDate != nil && !r.LeavingDate.IsZero() {
		last = *r.LeavingDate
	}
	if c.Today().Before(last) || last.Before(*s.AdmissionDate) {
		return LeavingCertificate{}, api.InvalidField("leavingDate", "leavingDate must be from the admission on %s to today", s.AdmissionDate)
	}
	before, err := studentDetail(c, r.ID)
	if err != nil {
		return LeavingCertificate{}, err
	}
	if err := endLastEnrolment(c, r.ID, last); err != nil {
		return LeavingCertificate{}, err
	}
	if r.Status == "" {
		r.Status = "TRANSFERRED"
	}
	if _, err := api.Update(c, "student", r.ID, func(s *Student) error {
		s.Status, s.LeavingDate, s.LeavingReason, s.LeavingStatus = r.Status, &last, r.Reason, nil
		return nil
	}); err != nil {
		return LeavingCertificate{}, err
	}
	return m.certify(c, r, last, before)
}

// endLastEnrolment ends the enrolment in force on the last day. What was settled for
// later falls away; what has begun since is history, and speaks against the date.
func endLastEnrolment(c api.Ctx, student uuid.UUID, last api.Date) error {
	var open []Enrolment
	err := c.DB.Where("student_id = ? and (end_date is null or end_date > ?)", student, last).Order("start_date").Find(&open).Error
	if err != nil {
		return fmt.Errorf("reading a student's enrolments: %w", err)
	}
	for _, e := range open {
		if last.Before(e.StartDate) && !c.Today().Before(e.StartDate) {
			return api.InvalidField("leavingDate", "the student was enrolled anew on %s: leavingDate must not be before", e.StartDate)
		}
	}
	if len(open) > 0 && !last.Before(open[0].StartDate) {
		if err := endEnrolment(c, open[0], last, "LEFT"); err != nil {
			return err
		}
	}
	return dropEnrolmentsAfter(c, student, last)
}

func (m *Module) certify(c api.Ctx, r leaving, last api.Date, s StudentDetail) (LeavingCertificate, error) {
	open, err := m.clearance(c, r.ID)
	if err != nil {
		return LeavingCertificate{}, err
	}
	snapshot := s.snapshot(c.School, r.Status, last)
	snapshot.Outstanding, snapshot.BooksOut = &open.Outstanding, []string{}
	for _, loan := range open.Loans {
		snapshot.BooksOut = append(snapshot.BooksOut, loan.Title)
	}
	if snapshot.Subjects, err = s.subjectsOn(c, last); err != nil {
		return LeavingCertificate{}, err
	}
	number, err := lockSeries(c, "leaving certificate")
	if err != nil {
		return LeavingCertificate{}, err
	}
	if err := c.DB.Exec(`update number_series set next = next + 1 where name = 'leaving certificate'`).Error; err != nil {
		return LeavingCertificate{}, fmt.Errorf("numbering a certificate: %w", err)
	}
	cert := LeavingCertificate{
		ID: api.NewID(), Number: int(number), StudentID: r.ID, LeavingDate: last, Reason: r.Reason, Conduct: r.Conduct,
		Snapshot: snapshot, CreatedBy: &c.User.ID, CreatedAt: c.Now,
	}
	raw, err := json.Marshal(cert.Snapshot)
	if err != nil {
		return cert, err
	}
	err = c.DB.Exec(`insert into leaving_certificate (id, number, student_id, leaving_date, reason, conduct, snapshot, created_by, created_at)
		values (?, ?, ?, ?, ?, ?, ?::jsonb, ?,
		?)`, cert.ID, cert.Number, cert.StudentID, last, cert.Reason, cert.Conduct, string(raw), c.User.ID, c.Now).Error
	if err != nil {
		return cert, fmt.Errorf("writing a leaving certificate: %w", err)
	}
	c.Changed("create", "leaving certificate", cert.ID, nil, cert)
	return cert, nil
}

// snapshot is what is known of a student on a day. The class they were admitted to is known if they sat in one on that
// day; of one who came with a file of a later year it is not.
func (s StudentDetail) snapshot(school *tenancy.School, status string, on api.Date) LeavingSnapshot {
	out := LeavingSnapshot{
		SchoolName: school.Name, SchoolAddress: school.Address, AdmissionNumber: s.AdmissionNumber, FirstName: s.FirstName, LastName: s.LastName,
		Gender: s.Gender, DateOfBirth: s.DateOfBirth, AdmissionDate: *s.AdmissionDate, Guardians: []string{}, Status: status,
	}
	if last, sat := s.SatOn(on); sat {
		if first := s.Enrolments[0]; !s.AdmissionDate.Before(first.StartDate) {
			out.AdmittedTo = first.ClassName
		}
		out.LastClass, out.LastDivision, out.LastYear = last.ClassName, last.DivisionName, last.AcademicYearName
	}
	for _, g := range s.Guardians {
		out.Guardians = append(out.Guardians, strings.TrimSpace(g.FirstName+" "+g.LastName))
	}
	return out
}

// SatOn is where the student sat on a day, or sat last before it. Where they are promoted to for later does not count.
func (s StudentDetail) SatOn(day api.Date) (seat EnrolmentView, sat bool) {
	for _, e := range s.Enrolments {
		if !day.Before(e.StartDate) {
			seat, sat = e, true
		}
	}
	return seat, sat
}

type certificateAs struct {
	ID     uuid.UUID `path:"id"`
	Format string    `json:"format" validate:"omitempty,oneof=json pdf" doc:"pdf gives the printable certificate"`
}

func (m *Module) leavingCertificate(c api.Ctx, r certificateAs) (out api.MaybeFile[LeavingCertificate], err error) {
	found, err := leavingCertificates(c, `l.student_id = $1`, r.ID)
	if err != nil {
		return out, err
	}
	if len(found) == 0 {
		if _, err := studentDetail(c, r.ID); err != nil {
			return out, err
		}
		return out, api.NotFound("leaving certificate")
	}
	out.Data = found[0]
	if r.Format == "pdf" {
		out.File, err = m.printLeaving(c, found[0])
	}
	return out, err
}

// leavingCertificates is the latest one that a condition on it, l, holds for, if there is one.
func leavingCertificates(c api.Ctx, where string, args ...any) (found []LeavingCertificate, err error) {
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select l.id, l.number, l.student_id, l.leaving_date, l.reason, l.conduct, l.snapshot,
		l.created_by, l.created_at
		from leaving_certificate l join student s on s.id = l.student_id
		where s.deleted_at is null and ` + where + ` order by l.number desc limit 1`, Args: args, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("reading a leaving certificate: %w", err)
	}
	return found, nil
}

func (m *Module) printLeaving(c api.Ctx, l LeavingCertificate) (*api.File, error) {
	head, err := m.Letterhead(c)
	if err != nil {
		return nil, err
	}
	var template string
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select leaving_certificate_template from school_setting`, Scan: tenancy.One(&template)})
	if err != nil {
		return nil, fmt.Errorf("reading the template of certificates: %w", err)
	}
	return l.pdf(c, head, template)
}
