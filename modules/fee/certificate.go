package fee

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
	"homeroom/paper"
	"homeroom/tenancy"
)

// Certificate says what was paid for a student in a year, for the tax office.
type Certificate struct {
	roster.Certificate
	Snapshot CertificateSnapshot `json:"snapshot" gorm:"serializer:json"`
}

// TableName is what the list's query is called.
func (Certificate) TableName() string { return "certificate" }

// CertificateSnapshot is what the certificate says: later payments do not alter it.
type CertificateSnapshot struct {
	roster.CertificateSnapshot
	YearName string     `json:"yearName" doc:"Empty for a period that is no academic year"`
	From     api.Date   `json:"from"`
	To       api.Date   `json:"to" doc:"The day of issue at the latest"`
	Lines    []PaidHead `json:"lines"`
	Total    int64      `json:"total" doc:"In minor units"`
	Currency string     `json:"currency"`
}

// PaidHead is what was paid for a head.
type PaidHead struct {
	Head   string `json:"head" doc:"Advance is what is not charged yet, Refunded what was given back"`
	Amount int64  `json:"amount"`
}

type certificateIn struct {
	StudentID      uuid.UUID  `json:"studentId" validate:"required"`
	AcademicYearID *uuid.UUID `json:"academicYearId" doc:"The active year unless given"`
	From           api.Date   `json:"from" doc:"With to: a period instead of an academic year, such as the tax year"`
	To             api.Date   `json:"to"`
	Purpose        string     `json:"purpose" validate:"max=200" doc:"Printed on it" example:"Income tax"`
}

// issueCertificate counts money the school has: payments that were reversed and cheques in clearing
// do not count, refunds are taken off.
func issueCertificate(c api.Ctx, r certificateIn) (Certificate, error) {
	student, who, err := roster.CertifyStudent(c, r.StudentID)
	if err != nil {
		return Certificate{}, err
	}
	s := CertificateSnapshot{CertificateSnapshot: who, Currency: c.School.Currency}
	if err := r.period(c, &s); err != nil {
		return Certificate{}, err
	}
	seat, _ := student.SatOn(s.To)
	s.ClassName, s.DivisionName = seat.ClassName, seat.DivisionName
	if s.Lines, err = paidHeads(c, r.StudentID, s.From, s.To); err != nil {
		return Certificate{}, err
	}
	if len(s.Lines) == 0 {
		return Certificate{}, api.Conflict("Nothing was paid for %s from %s to %s", roster.FullName(who.FirstName, who.LastName), s.From, s.To)
	}
	for _, l := range s.Lines {
		s.Total += l.Amount
	}
	issued, err := roster.IssueCertificate(c, "FEE", "fee certificate", r.StudentID, r.Purpose, s)
	if err != nil {
		return Certificate{}, err
	}
	return certificateBy(c, issued.ID)
}

// period is the year asked for, or the days, up to today.
func (r certificateIn) period(c api.Ctx, s *CertificateSnapshot) (err error) {
	switch {
	case r.From.IsZero() && r.To.IsZero():
		var year roster.AcademicYear
		if r.AcademicYearID != nil {
			year, err = api.Find[roster.AcademicYear](c, "academic year", c.DB, *r.AcademicYearID)
		} else {
			year, err = roster.ActiveYear(c)
		}
		s.YearName, s.From, s.To = year.Name, year.StartDate, year.EndDate
	case r.AcademicYearID != nil:
		err = api.InvalidField("academicYearId", "Choose an academic year, or From and To")
	case r.From.IsZero():
		err = api.InvalidField("from", "Enter From")
	case r.To.IsZero() || r.To.Before(r.From):
		err = api.InvalidField("to", "To: %s or later", r.From)
	default:
		s.From, s.To = r.From, r.To
	}
	if c.Today().Before(s.To) {
		s.To = c.Today()
	}
	return err
}

// openingCredit is what the student $1 had in credit at the beginning.
const openingCredit = `select coalesce(sum(case e.entry_type when 'CR' then e.amount else -e.amount end), 0)::bigint from ledger_entry e
	join ledger_transaction t on t.id = e.transaction_id where e.account_id = $1 and e.invoice_id is null and t.kind = 'OPENING'`

// paidHeads is what was paid on these days, by head. Money that was paid ahead counts for the heads
// it has settled since, the oldest money first.
func paidHeads(c api.Ctx, student uuid.UUID, from, to api.Date) ([]PaidHead, error) {
	var receipts []Receipt
	var invoices []ledger.StudentInvoice
	var opening, refunded int64
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: selectReceipt + ` where r.student_id = $1 order by r.received_on, r.received_at, r.id`, Args: []any{student},
			Scan: tenancy.Collect(&receipts)},
		tenancy.Query{SQL: ledger.AllocateOne, Args: []any{student, c.Today()}, Scan: tenancy.Collect(&invoices), ForceGenericPlan: true},
		tenancy.Query{SQL: openingCredit, Args: []any{student}, Scan: tenancy.One(&opening)},
		tenancy.Query{SQL: `select coalesce(sum(amount), 0)::bigint from fee_refund where student_id = $1 and paid_on between $2 and $3`,
			Args: []any{student, from, to}, Scan: tenancy.One(&refunded)})
	if err != nil {
		return nil, fmt.Errorf("reading what was paid: %w", err)
	}
	var plain []ledger.Invoice
	settled := map[uuid.UUID]int64{} // by money paid ahead
	for _, i := range invoices {
		plain = append(plain, i.Invoice)
		settled[i.ID] = i.Paid
	}
	var out headSums
	ahead := []aheadMoney{{amount: max(opening, 0)}}
	for _, r := range receipts {
		if r.Reversed {
			continue
		}
		counts := r.Clearing != inClearing && !r.ReceivedOn.Before(from) && !to.Before(r.ReceivedOn)
		for _, a := range r.Allocations {
			settled[a.InvoiceID] -= a.Amount
		}
		for _, l := range r.complete(c, plain).Lines {
			switch {
			case l.Number == "":
				ahead = append(ahead, aheadMoney{l.Amount, counts})
			case counts:
				out.add(l.Head, l.Amount)
			}
		}
	}
	for _, i := range plain {
		for n := range ahead {
			part := min(ahead[n].amount, settled[i.ID])
			if part <= 0 {
				continue
			}
			ahead[n].amount, settled[i.ID] = ahead[n].amount-part, settled[i.ID]-part
			if !ahead[n].counts {
				continue
			}
			if len(i.Lines) == 0 {
				out.add(i.Name, part)
			}
			for at, amount := range spread(part, i.Lines) {
				out.add(i.Lines[at].Name, amount)
			}
		}
	}
	for _, money := range ahead {
		if money.counts {
			out.add("Advance", money.amount)
		}
	}
	out.add("Refunded", -refunded)
	return out, nil
}

// aheadMoney is what a payment had left when it was received; counts: it was on the days asked for.
type aheadMoney struct {
	amount int64
	counts bool
}

// headSums are sums by head, in the order the heads were met.
type headSums []PaidHead

func (h *headSums) add(head string, amount int64) {
	if amount == 0 {
		return
	}
	for i := range *h {
		if (*h)[i].Head == head {
			(*h)[i].Amount += amount
			return
		}
	}
	*h = append(*h, PaidHead{head, amount})
}

func certificateBy(c api.Ctx, id uuid.UUID) (Certificate, error) {
	return certificateWhere(c, `x.id = $1`, id)
}

func certificateWhere(c api.Ctx, where string, args ...any) (Certificate, error) {
	var found []Certificate
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: roster.SelectCertificates + `'FEE' and ` + where, Args: args,
		Scan: tenancy.Collect(&found)})
	if err != nil {
		return Certificate{}, fmt.Errorf("reading a certificate: %w", err)
	}
	if len(found) == 0 {
		return Certificate{}, api.NotFound("certificate")
	}
	return found[0], nil
}

func listCertificates(c api.Ctx, l api.ListRequest) (api.Page[Certificate], error) {
	return api.Fetch[Certificate](c.DB.Table("(?) as certificate", c.DB.Raw(roster.SelectCertificates+`'FEE'`)), l)
}

func (m *Module) getCertificate(c api.Ctx, r roster.CertificateRequest) (api.MaybeFile[Certificate], error) {
	cert, err := certificateBy(c, r.ID)
	if err != nil {
		return api.MaybeFile[Certificate]{}, err
	}
	return m.certificateAs(c, cert, r.Format)
}

// childsCertificate is a certificate of a linked child's.
func (m *Module) childsCertificate(c api.Ctx, r roster.CertificateRequest) (api.MaybeFile[Certificate], error) {
	cert, err := certificateWhere(c, `x.id = $1 and x.student_id in (`+roster.LinkedIDs("$2")+`)`, r.ID, c.User.ID)
	if err != nil {
		return api.MaybeFile[Certificate]{}, err
	}
	return m.certificateAs(c, cert, r.Format)
}

func listChildsCertificates(c api.Ctx, l api.ListRequest) (api.Page[Certificate], error) {
	return api.Fetch[Certificate](c.DB.Table("(?) as certificate",
		c.DB.Raw(roster.SelectCertificates+`'FEE' and x.student_id in (`+roster.LinkedIDs("?")+`)`, c.User.ID)), l)
}

func (m *Module) certificateAs(c api.Ctx, cert Certificate, format string) (out api.MaybeFile[Certificate], err error) {
	if out.Data = cert; format != "pdf" {
		return out, nil
	}
	head, err := m.Letterhead(c)
	if err != nil {
		return out, err
	}
	out.File, err = cert.pdf(c, head)
	return out, err
}

// pdf is the certificate as it is signed and stamped.
func (r Certificate) pdf(c api.Ctx, head paper.Letterhead) (*api.File, error) {
	s, f := r.Snapshot, ledger.Figures(c)
	doc := paper.New(s.Under(head), "Fee certificate")
	issued := api.DateOf(r.CreatedAt.In(c.School.Location()))
	doc.Pairs([2]string{"Certificate no.", fmt.Sprint(r.Number)}, [2]string{"Date of issue", ledger.Day(f, issued)},
		[2]string{"Student", roster.FullName(s.FirstName, s.LastName)}, [2]string{"Admission no.", s.AdmissionNumber},
		[2]string{"Class", strings.TrimSpace(s.ClassName + " " + s.DivisionName)}, [2]string{"Academic year", s.YearName},
		[2]string{"Parents", strings.Join(s.Guardians, ", ")}, [2]string{"Issued for", r.Purpose})
	doc.Gap(2)
	doc.Text(fmt.Sprintf("This is to certify that the school has received these fees for the student named above from %s to %s.",
		ledger.Day(f, s.From), ledger.Day(f, s.To)))
	var rows [][]string
	for _, l := range s.Lines {
		rows = append(rows, []string{l.Head, f.Plain(l.Amount)})
	}
	amount := "Amount (" + strings.TrimSpace(f.Sign()) + ")"
	doc.Grid(paper.Grid{Columns: []paper.Column{{Title: "Head", Width: 120}, {Title: amount, Width: 50, Number: true}}, Rows: rows,
		Totals: [][]string{{"Total", f.Plain(s.Total)}}})
	if s.Total > 0 {
		doc.Field("Amount in words", f.InWords(s.Total))
	}
	doc.Signatures("Office", head.Head())
	return printed(doc, fmt.Sprintf("fee-certificate-%d", r.Number))
}
