package roster

import (
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/paper"
)

// pdf is the certificate as it is printed and signed. The school's name and address are
// those of the day it was issued. What nobody knows is a line to write on, never a guess.
func (l LeavingCertificate) pdf(c api.Ctx, head paper.Letterhead, template string) (*api.File, error) {
	s, f := l.Snapshot, paper.FiguresOf(c.School.Writes())
	head = CertificateSnapshot{SchoolName: s.SchoolName, SchoolAddress: s.SchoolAddress}.Under(head)
	day := func(d api.Date) string { return f.Day(d.Year, d.Month, d.Day) }
	title := "Leaving certificate"
	if template == "CBSE" {
		title = "Transfer certificate"
	}
	doc := paper.New(head, title)
	doc.Pairs([2]string{"Certificate no.", fmt.Sprint(l.Number)},
		[2]string{"Date of issue", day(api.DateOf(l.CreatedAt.In(c.School.Location())))},
		[2]string{"Admission no.", s.AdmissionNumber})
	doc.Gap(2)
	field := func(name, value string) {
		if value == "" {
			doc.Blank(name)
			return
		}
		doc.Field(name, value)
	}
	field("Name of the student", strings.TrimSpace(s.FirstName+" "+s.LastName))
	if len(s.Guardians) > 0 && template != "BRITISH" {
		field("Parents or guardians", strings.Join(s.Guardians, ", "))
	}
	born := ""
	if s.DateOfBirth != nil {
		born = day(*s.DateOfBirth)
	}
	field("Date of birth", born)
	if template == "CBSE" {
		field("Nationality", "")
		field("Category (SC, ST, OBC)", "")
	}
	field("Admitted on", day(s.AdmissionDate))
	field("Admitted to", s.AdmittedTo)
	field("Last attended", strings.TrimSpace(s.LastClass+" "+s.LastDivision))
	field("Academic year", s.LastYear)
	if template == "CBSE" {
		field("Subjects studied", strings.Join(s.Subjects, ", "))
		field("Promoted to a higher class", "")
		field("Dues", s.dues(f))
	}
	field("Last day at the school", day(l.LeavingDate))
	field("Reason for leaving", l.Reason)
	if template != "BRITISH" {
		field("Conduct", l.Conduct)
	}
	if template == "BRITISH" {
		doc.Signatures(head.Head())
	} else {
		doc.Signatures("Class teacher", "Office", head.Head())
	}
	body, err := doc.Bytes()
	if err != nil {
		return nil, err
	}
	return &api.File{Name: fmt.Sprintf("leaving-certificate-%d.pdf", l.Number), ContentType: "application/pdf", Body: body}, nil
}

// dues says what was open on the day of issue; nothing where a certificate does not know it.
func (s LeavingSnapshot) dues(f paper.Figures) string {
	switch {
	case s.Outstanding == nil:
		return ""
	case *s.Outstanding > 0:
		return f.Money(*s.Outstanding) + " outstanding"
	}
	return "None"
}
