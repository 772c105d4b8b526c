package roster

import (
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/paper"
)

// pdf is the certificate as it is printed and signed. The school's name and address are
// those of the day it was issued.
func (l LeavingCertificate) pdf(head paper.Letterhead) (*api.File, error) {
	s := l.Snapshot
	head.Name = s.SchoolName
	if s.SchoolAddress != "" {
		head.Lines = paper.AddressLines(s.SchoolAddress)
	}
	doc := paper.New(head, "Leaving certificate")
	doc.Field("Certificate number", fmt.Sprint(l.Number))
	doc.Field("Admission number", s.AdmissionNumber)
	doc.Field("Name of the student", strings.TrimSpace(s.FirstName+" "+s.LastName))
	if len(s.Guardians) > 0 {
		doc.Field("Parents or guardians", strings.Join(s.Guardians, ", "))
	}
	if s.DateOfBirth != nil {
		doc.Field("Date of birth", s.DateOfBirth.String())
	}
	doc.Field("Admitted on", s.AdmissionDate.String())
	doc.Field("Admitted to", s.AdmittedTo)
	doc.Field("Last attended", strings.TrimSpace(s.LastClass+" "+s.LastDivision))
	doc.Field("Academic year", s.LastYear)
	doc.Field("Last day at the school", l.LeavingDate.String())
	doc.Field("Reason for leaving", l.Reason)
	doc.Field("Conduct", l.Conduct)
	doc.Signatures("Class teacher", "Office", head.Head())
	body, err := doc.Bytes()
	if err != nil {
		return nil, err
	}
	return &api.File{Name: fmt.Sprintf("leaving-certificate-%d.pdf", l.Number), ContentType: "application/pdf", Body: body}, nil
}
