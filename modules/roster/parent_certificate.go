package roster

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// ChildCertificate is a certificate that the school issued for a child.
type ChildCertificate struct {
	ID          uuid.UUID `json:"id"`
	Kind        string    `json:"kind" enum:"BONAFIDE,LEAVING"`
	Number      int       `json:"number" doc:"As it was issued"`
	StudentID   uuid.UUID `json:"studentId"`
	StudentName string    `json:"studentName" doc:"On the day of issue"`
	Purpose     string    `json:"purpose" doc:"Of a leaving certificate the reason"`
	CreatedAt   time.Time `json:"createdAt"`
}

// TableName is what the list's query is called.
func (ChildCertificate) TableName() string { return "certificate" }

const (
	certifiedName     = `trim((x.snapshot->>'firstName') || ' ' || (x.snapshot->>'lastName')) as student_name`
	childCertificates = `select x.id, x.kind, x.number, x.student_id, ` + certifiedName + `, x.purpose, x.created_at
		from certificate x where x.kind = 'BONAFIDE' and x.student_id in (@children)
		union all select x.id, 'LEAVING', x.number, x.student_id, ` + certifiedName + `, x.reason, x.created_at
		from leaving_certificate x where x.student_id in (@children)`
)

var childCertificateListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "number": "number"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{"studentId": api.ByID("student_id"), "kind": api.ByEnum("kind", "BONAFIDE", "LEAVING")},
}

// listChildCertificates are the certificates of the calling parent's children.
func listChildCertificates(c api.Ctx, l api.ListRequest) (api.Page[ChildCertificate], error) {
	mine := map[string]any{"children": c.DB.Raw(LinkedIDs("?"), c.User.ID)}
	return api.Fetch[ChildCertificate](c.DB.Table("(?) as certificate", c.DB.Raw(childCertificates, mine)), l)
}

// printChildCertificate is the paper of one of them.
func (m *Module) printChildCertificate(c api.Ctx, r byID) (api.File, error) {
	file, err := m.childCertificate(c, r.ID)
	if err != nil {
		return api.File{}, err
	}
	return *file, nil
}

func (m *Module) childCertificate(c api.Ctx, id uuid.UUID) (*api.File, error) {
	left, err := leavingCertificates(c, `l.id = $1 and l.student_id in (`+LinkedIDs("$2")+`)`, id, c.User.ID)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return m.printLeaving(c, left[0])
	}
	var there bool
	err = c.DB.Raw(`select exists (select from certificate x where x.id = ? and x.kind = 'BONAFIDE' and x.student_id in (`+
		LinkedIDs("?")+`))`,
		id, c.User.ID).Scan(&there).Error
	if err != nil {
		return nil, fmt.Errorf("looking for a certificate: %w", err)
	}
	if !there {
		return nil, api.NotFound("certificate")
	}
	b, err := bonafideBy(c, id)
	if err != nil {
		return nil, err
	}
	return m.printBonafide(c, b)
}
