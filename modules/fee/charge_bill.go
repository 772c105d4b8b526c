package fee

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/paper"
	"homeroom/tenancy"
)

// bill writes the postings of a charge: for every student an invoice, the income of each
// head, and what their concessions waive of it. Accounts are locked first, so that a
// concession granted at the same moment finds the invoice, or is found here.
func (m *Module) bill(c api.Ctx, s Structure, year schoolYear, number int, students []chargeable, out Charged) (Charged, error) {
	ids := make([]uuid.UUID, len(students))
	for i, st := range students {
		ids[i] = st.ID
	}
	var grants []Concession
	var counted []proRata
	queries := []tenancy.Query{{SQL: proRataSQL, Scan: tenancy.Collect(&counted)}}
	if !out.DryRun { // a dry run writes nothing, so nobody has to wait for it
		queries = append(queries, tenancy.Query{SQL: openAccounts, Args: []any{ids, c.Now}},
			tenancy.Query{SQL: lockAccounts, Args: []any{ids}, Scan: discard})
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
		if numbers, err = invoiceNumbers(c, year, len(students)); err != nil {
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
	postings := make([]posting, 0, len(students)+len(grants))
	notices := make([]notice.Notice, 0, len(students))
	f := figures(c)
	for _, st := range students {
		joined := year.StartDate
		if s.ProRata {
			joined = st.Joined
		}
		stays := counted[0].stay(joined, year.StartDate, year.EndDate)
		lines := s.lines(func(h StructureHead) InvoiceLine {
			if h.Optional {
				return extras.line(h, st.ID, joined, counted[0], span)
			}
			return InvoiceLine{Name: h.Name, Amount: span.of(counted[0].share(stays, int64(h.Amount)))}
		})
		if extras.unpriced[st.ID] {
			out.WithoutAmount++
		}
		if len(lines) == 0 {
			out.say(st, ChargedStudent{Outcome: "NOTHING_LEFT", ProRata: !stays.whole(), WithoutAmount: extras.unpriced[st.ID]})
			continue // nothing remains of the year for them
		}
		v := &invoice{id: api.NewID(), year: year.ID, number: numbers(out.Charged), student: st.ID, structure: &s.ID, instalment: &number,
			name: in.Name, due: due, lines: lines}
		p := posting{id: api.NewID(), kind: "CHARGE", narration: in.Name, key: fmt.Sprintf("charge %s %d %s", s.ID, number, st.ID), invoice: v}
		p.entries = append(p.entries, entry{account: st.ID, side: debit, of: v})
		for _, line := range lines {
			p.entries[0].amount += line.Amount
			p.entries = append(p.entries, entry{account: *line.FeeHeadID, side: credit, amount: line.Amount})
		}
		total := p.entries[0].amount
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
	if err := post(c, postings...); err != nil {
		return out, err
	}
	notice.SendBatch(c, notice.FeeCharges, notices...)
	c.Changed("charge", "fee structure", s.ID, nil, out)
	return out, nil
}

func chargedNotice(f paper.Figures, st chargeable, v *invoice, amount int64) notice.Notice {
	return notice.Notice{Type: notice.Fee, Key: "fee invoice " + v.id.String(), RecordID: v.id, StudentID: &st.ID,
		Text: notice.Text{Name: "fee.charged", Values: notice.Values{"what": v.name,
			"child": strings.TrimSpace(st.FirstName + " " + st.LastName), "amount": f.Money(amount), "date": day(f, v.due)}}}
}

// lines are what an instalment costs under each head, where it costs anything.
func (s Structure) lines(of func(StructureHead) InvoiceLine) []InvoiceLine {
	var out []InvoiceLine
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
