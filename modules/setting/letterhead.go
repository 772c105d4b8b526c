package setting

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
	"homeroom/tenancy"
)

// Letterheads reads what a school's papers begin with. Modules that print are given
// Letterhead.
type Letterheads struct {
	// Files gives a file's bytes, none for one that is gone; nil: no logos are printed.
	Files interface {
		Bytes(c api.Ctx, id uuid.UUID) ([]byte, error)
	}
}

// Letterhead is the school's name, address, logo and principal, as its settings say.
func (l Letterheads) Letterhead(c api.Ctx) (paper.Letterhead, error) {
	var found []struct {
		Name, TimeZone, Address, Phone, Email, Website, PrincipalName string
		LogoFileID                                                    *uuid.UUID
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select name, time_zone, address, phone, email, website, principal_name, logo_file_id
		from school_setting`, Scan: tenancy.Collect(&found)})
	if err != nil {
		return paper.Letterhead{}, fmt.Errorf("reading the letterhead: %w", err)
	}
	s := found[0]
	if s.TimeZone == "" { // it has said nothing of itself since it was onboarded
		s.Name, s.Address, s.Phone, s.Email = c.School.Name, c.School.Address, c.School.Phone, c.School.Email
	}
	head := paper.Letterhead{Name: s.Name, Lines: paper.AddressLines(s.Address), Principal: s.PrincipalName}
	var reach []string
	for _, text := range []string{s.Phone, s.Email, s.Website} {
		if text != "" {
			reach = append(reach, text)
		}
	}
	if len(reach) > 0 {
		head.Reach = []string{strings.Join(reach, " · ")}
		head.Lines = append(head.Lines, head.Reach...)
	}
	if s.LogoFileID != nil && l.Files != nil {
		if head.Logo, err = l.Files.Bytes(c, *s.LogoFileID); err != nil {
			return head, fmt.Errorf("reading the school's logo: %w", err)
		}
	}
	return head, nil
}
