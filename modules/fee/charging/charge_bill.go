package charging

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/paper"
	"homeroom/tenancy"
)

// bill writes the postings of a charge: for every student an invoice, the income of each
// head, and what their concessions waive of it. Accounts are locked first, so that a
// concession granted at the same moment finds the invoice, or is found here.
func (m *Endpoints) bill(c api.Ctx, s Structure, year ledger.SchoolYear, number int, students []chargeable, out Charged) (Charged, error) {
	ids := make([]uuid.UUID, len(students))
	for i, st := range students {
		ids[i] = st.ID
	}
	var grants []Concession
	var counted []proRata
	queries := []tenancy.Query{{SQL: proRataSQL, Scan: tenancy.Collect(&counted)}}
	if !out.DryRun { // a dry run writes nothing, so nobody has to wait for it
		queries = append(queries, tenancy.Query{SQL: ledger.OpenAccounts, Args: []any{ids, c.Now}},
			tenancy.Query{SQL: ledger.LockAccounts, Args: []any{ids}, Scan: discard})
	}
	queries = append(queries, tenancy.Query{SQL: selectGrants +
		` where student_id = any($1) and academic_year_id = $2 and invoice_id is null order by student_id, id`,
		Args: []any{ids, year.ID}, Scan: tenancy.Collect(&grants)})
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("locking the accounts to charge: %w", err)
	}
	granted := map[uuid.UUID][]Concession{}
	for _, g := range grants {
		granted[g.StudentID] = append(granted[g.StudentID], g)
	}
	numbers := func(int) string { return "" }
	if !out.DryRun {
		var err error
		if numbers, err = ledger.InvoiceNumbers(c, year, len(students)); err != nil {
			return out, err
		}
	}
	in, span := s.Instalments[number-1], s.span(number)
	extras, err := m.extras(c, s, year, ids)
	if err != nil {
		return out, err
	}
	due := in.DueDate
	if due.Before(c.Today()) {
		due = c.Today() // nothing is due before it was charged
	}
	kin, err := familiesOf(c, ids)
	if err != nil {
		return out, err
	}
	postings := make([]ledger.Transaction, 0, len(students)+len(grants))
	notices := make([]notice.Notice, 0, len(students))
	f := ledger.Figures(c)
	for _, st := range students {
		joined := year.StartDate
		if s.ProRata {
			joined = st.Joined
		}
		stays := counted[0].stay(joined, year.StartDate, year.EndDate)
		lines := s.lines(func(h StructureHead) ledger.InvoiceLine {
			if h.Optional {
				return extras.line(h, st.ID, joined, counted[0], span)
			}
			return ledger.InvoiceLine{Name: h.Name, Amount: span.of(counted[0].share(stays, int64(h.Amount)))}
		})
		if extras.unpriced[st.ID] {
			out.WithoutAmount++
		}
		if len(lines) == 0 {
			out.say(st, ChargedStudent{Outcome: "NOTHING_LEFT", ProRata: !stays.whole(), WithoutAmount: extras.unpriced[st.ID]})
			continue // nothing remains of the year for them
		}
		v := &ledger.Demand{ID: api.NewID(), Year: year.ID, Number: numbers(out.Charged), Student: st.ID, Structure: &s.ID, Instalment: &number,
			Name: in.Name, Due: due, Lines: lines}
		p := ledger.Transaction{ID: api.NewID(), Kind: "CHARGE", Narration: in.Name, Key: fmt.Sprintf("charge %s %d %s", s.ID, number,
			st.ID), Invoice: v}
		p.Entries = append(p.Entries, ledger.Entry{Account: st.ID, Side: ledger.Debit, Of: v})
		for _, line := range lines {
			p.Entries[0].Amount += line.Amount
			p.Entries = append(p.Entries, ledger.Entry{Account: *line.FeeHeadID, Side: ledger.Credit, Amount: line.Amount})
		}
		total := p.Entries[0].Amount
		byRule, waived := kin.waive(v)
		postings = append(append(postings, p), byRule...)
		left := total - waived
		for _, g := range granted[st.ID] {
			if n := min(left, g.of(lines, span)); n > 0 && g.holds(in.DueDate) {
				postings = append(postings, g.posting(v, n))
				left -= n
			}
		}
		out.Charged, out.Amount, out.Concession = out.Charged+1, out.Amount+total, out.Concession+total-left
		if left > 0 { // of what was waived whole, a family has nothing to pay
			notices = append(notices, chargedNotice(f, st, v, left))
		}
		if !stays.whole() {
			out.ProRata, out.ProRataAmount = out.ProRata+1, out.ProRataAmount+total
		}
		out.say(st, ChargedStudent{Outcome: "CHARGED", Amount: total, Concession: total - left, ProRata: !stays.whole(), Lines: lines,
			WithoutAmount: extras.unpriced[st.ID]})
	}
	if out.DryRun {
		return out, nil
	}
	if err := ledger.Post(c, postings...); err != nil {
		return out, err
	}
	notice.SendBatch(c, notice.FeeCharges, notices...)
	c.Changed("charge", "fee structure", s.ID, nil, out)
	return out, nil
}

func chargedNotice(f paper.Figures, st chargeable, v *ledger.Demand, amount int64) notice.Notice {
	return notice.Notice{Type: notice.Fee, Key: "fee invoice " + v.ID.String(), RecordID: v.ID, StudentID: &st.ID,
		Text: notice.Text{Name: "fee.charged", Values: notice.Values{"what": v.Name,
			"child": strings.TrimSpace(st.FirstName + " " + st.LastName), "amount": f.Money(amount), "date": ledger.Day(f, v.Due)}}}
}

// lines are what an instalment costs under each head, where it costs anything.
func (s Structure) lines(of func(StructureHead) ledger.InvoiceLine) []ledger.InvoiceLine {
	var out []ledger.InvoiceLine
	for _, h := range s.Heads {
		if line := of(h); line.Amount > 0 {
			line.FeeHeadID = &h.FeeHeadID
			out = append(out, line)
		}
	}
	return out
}

// discard reads rows that are there to be locked.
func discard(rows pgx.Rows) error {
	for rows.Next() {
	}
	return rows.Err()
}
