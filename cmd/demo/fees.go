package demo

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
)

// bounced is the reference of the cheque that is paid in last, and taken back.
const bounced = "CHQ 004711"

// feesDone is the condition that all payments were made.
const feesDone = `exists (select from fee_receipt r join ledger_transaction t on t.reverses_id = r.transaction_id
	where r.reference_number = '` + bounced + `')`

// openingsDone is the condition that the school's books were begun: by opening balances, or by charges as an older demo did.
const openingsDone = `exists (select from ledger_transaction where kind = 'OPENING') or exists (select from fee_invoice)`

// instalment is a part of what the year's fees still are, by days from the day the demo is made; one that is not charged yet has no
// payments. What came before was collected in another program: what is left of it comes as opening balances.
type instalment struct {
	name         string
	percent      int
	charged, due int // days before today; below zero they are to come
	from, to     int // days before today between which families pay
	whole, half  int // of a hundred families, how many pay all of it, and how many a half
}

// collected is the instalment that is charged; the next one is to come.
var (
	collected   = instalment{"Term 2", 50, 40, 20, 38, 0, 46, 8}
	instalments = []instalment{collected, {"Term 3", 50, 0, -60, 0, 0, 0, 0}}
)

// openedDays is how many days before today the books were begun, and term1Due those since the first term's fees were due.
const openedDays, term1Due = 60, 75

// termFee is what a class pays for a term of three, in the currency's main unit.
func (p *plan) termFee(class int) int64 { return (p.tuition + int64(class)*p.step) / 3 / 10_000 * 100 }

// addOpenings takes in who came with dues of the first term, and who had paid ahead.
func (b *builder) addOpenings(ctx context.Context) error {
	year, err := b.year(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{words("admissionNumber amount date note")}
	families, _ := b.plan.people()
	for i, f := range families {
		for _, c := range f.children {
			amount := b.plan.termFee(c.class)
			switch of := number(b.plan.seed, 0, i, "opening") % 100; {
			case b.plan.pays(i, collected) != nothing && of < 4:
				amount = -amount / 4
			case b.plan.pays(i, collected) == nothing && of < 8:
				amount /= 2
			case b.plan.pays(i, collected) == nothing && of < 16:
			default:
				continue
			}
			day, note := b.today.AddDays(-term1Due), "Term 1"
			if amount < 0 {
				day, note = b.today.AddDays(-openedDays), "Paid ahead"
			}
			rows = append(rows, []string{c.number, fmt.Sprint(amount), within(day, year).String(), note})
		}
	}
	b.at(within(b.today.AddDays(-openedDays), year), 9, 0, b.latest)
	return b.takeIn(ctx, "/school-admin/fee/opening-balance/import", "opening balances", rows)
}

// How much a family pays of an instalment.
const (
	nothing = iota
	half
	whole
)

// pays is what the ith family does.
func (p *plan) pays(i int, in instalment) int {
	switch chance := number(p.seed, 0, i, "pays") % 100; {
	case chance < in.whole:
		return whole
	case chance < in.whole+in.half:
		return half
	}
	return nothing
}

// addFees makes heads and structures, charges an instalment, and has about half of the families pay. What is open of it is overdue
// for some weeks, what came with the opening balances for long.
func (b *builder) addFees(ctx context.Context) error {
	year, err := b.year(ctx)
	if err != nil {
		return err
	}
	b.at(within(b.today.AddDays(-openedDays), year), 10, 0, b.latest)
	structures, err := b.addStructures(ctx, year)
	if err != nil {
		return err
	}
	paid, err := b.references()
	if err != nil {
		return err
	}
	b.at(within(b.today.AddDays(-collected.charged), year), 10, 0, b.latest)
	for i, s := range structures {
		charge := fields{"structureId": s, "classId": b.classes[i], "instalment": "1"}
		if err := b.post(ctx, "/school-admin/fee/charge", charge, nil); err != nil {
			return err
		}
	}
	owed, err := b.owed(ctx)
	if err != nil {
		return err
	}
	families, _ := b.plan.people()
	for _, p := range b.payments(collected, families, owed, year) {
		if paid[p.reference] {
			continue
		}
		if err := b.pay(ctx, p); err != nil {
			return err
		}
	}
	return b.bounce(ctx, families, owed)
}

// addStructures makes what every class pays; they are returned by class.
func (b *builder) addStructures(ctx context.Context, year yearFields) ([]uuid.UUID, error) {
	there, err := list[struct{ ID, ClassID uuid.UUID }](ctx, b.office, "/school-admin/fee/structure/list",
		query("filters[academicYearId]", year.ID.String()))
	if err != nil {
		return nil, err
	}
	heads := make([]uuid.UUID, 3)
	for i, h := range []struct{ name, code, kind string }{{"Tuition", "TUI", "TUITION"}, {"Examinations", "EXA", "EXAM"},
		{"Activities", "ACT", "OTHER"}} {
		if heads[i], err = findOrMake(ctx, b, "/school-admin/fee/head/", h.name, fields{"code": h.code, "type": h.kind}); err != nil {
			return nil, err
		}
	}
	if len(there) == 0 {
		if err := b.post(ctx, "/school-admin/fee/rule/create", fields{"kind": "SIBLING", "child": 2, "percent": 10}, nil); err != nil {
			return nil, err
		}
	}
	out := make([]uuid.UUID, len(b.classes))
	for i, class := range b.classes {
		for _, s := range there {
			if s.ClassID == class {
				out[i] = s.ID
			}
		}
		if out[i] != uuid.Nil {
			continue
		}
		tuition := (b.plan.tuition + int64(i)*b.plan.step) * 2 / 3 // two terms of three
		var parts []fields
		for _, in := range instalments {
			parts = append(parts, fields{"name": in.name, "dueDate": within(b.today.AddDays(-in.due), year), "percent": in.percent})
		}
		var made named
		err := b.post(ctx, "/school-admin/fee/structure/create", fields{"classId": class, "name": b.plan.classes[i] + " fees",
			"heads": []fields{{"feeHeadId": heads[0], "amount": tuition}, {"feeHeadId": heads[1], "amount": tuition / 20},
				{"feeHeadId": heads[2], "amount": tuition / 40}}, "instalments": parts}, &made)
		if err != nil {
			return nil, err
		}
		out[i] = made.ID
	}
	return out, nil
}

// references are those of the payments that were made before.
func (b *builder) references() (map[string]bool, error) {
	var found []string
	if err := b.db.Raw(`select distinct reference_number from fee_receipt`).Scan(&found).Error; err != nil {
		return nil, fmt.Errorf("looking for payments: %w", err)
	}
	out := map[string]bool{}
	for _, r := range found {
		out[r] = true
	}
	return out, nil
}

// owed is what every student owes, by admission number.
func (b *builder) owed(ctx context.Context) (map[string]int64, error) {
	type owing struct {
		AdmissionNumber string
		Total           int64
	}
	all, err := list[owing](ctx, b.office, "/school-admin/fee/dues", nil)
	out := map[string]int64{}
	for _, o := range all {
		out[o.AdmissionNumber] = o.Total
	}
	return out, err
}

// payment is what a family pays.
type payment struct {
	day             api.Date
	minute          int // after nine
	child           *learner
	siblings        bool
	amount          int64
	mode, reference string
	inClearing      bool
}

// payments are what families pay of an instalment, the earliest first.
func (b *builder) payments(in instalment, families []*family, owed map[string]int64, year yearFields) []payment {
	var out []payment
	for i, f := range families {
		var total int64
		for _, c := range f.children {
			total += owed[c.number]
		}
		first := b.students[f.children[0].number]
		if total <= 0 || first == nil {
			continue
		}
		day := in.to + number(b.plan.seed, 0, i, "day")%(in.from-in.to+1)
		p := payment{child: first, siblings: len(f.children) > 1, amount: total, minute: i % 330,
			mode: b.plan.modes[number(b.plan.seed, 0, i, "mode")%len(b.plan.modes)], reference: fmt.Sprintf("2%05d", 10000+i)}
		switch b.plan.pays(i, in) {
		case half:
			p.amount = total / 200 * 100
		case nothing:
			continue
		}
		if p.mode == "CASH" {
			p.reference = "Slip " + p.reference
		}
		p.inClearing = p.mode == "CHEQUE" && day < 6
		p.day = within(b.today.AddDays(-day), year)
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b payment) int {
		switch {
		case a.day.Before(b.day):
			return -1
		case b.day.Before(a.day):
			return 1
		}
		return a.minute - b.minute
	})
	return out
}

// pay receives a payment, at the counter's hours of its day.
func (b *builder) pay(ctx context.Context, p payment) error {
	b.at(p.day, 9, p.minute, b.latest)
	path := "/school-admin/fee/collection/record"
	if p.siblings {
		path = "/school-admin/fee/collection/family"
	}
	return b.post(ctx, path, fields{"studentId": p.child.ID, "amount": p.amount, "paymentMode": p.mode, "referenceNumber": p.reference,
		"inClearing": p.inClearing, "confirmRepeat": true}, nil)
}

// bounce receives the cheque of a family that has not paid, and takes it back.
func (b *builder) bounce(ctx context.Context, families []*family, owed map[string]int64) error {
	at := -1
	for i, f := range families {
		number := f.children[0].number
		if at < 0 && len(f.children) == 1 && owed[number] > 0 && b.students[number] != nil && b.plan.pays(i, collected) == nothing {
			at = i
		}
	}
	if at < 0 {
		return fmt.Errorf("nobody owes anything")
	}
	child := families[at].children[0].number
	var receipts []struct{ ID uuid.UUID }
	if err := b.db.Raw(`select id from fee_receipt where reference_number = ?`, bounced).Scan(&receipts).Error; err != nil {
		return fmt.Errorf("looking for a cheque: %w", err)
	}
	if len(receipts) == 0 {
		receipts = make([]struct{ ID uuid.UUID }, 1)
		b.at(b.today.AddDays(-3), 10, 20, b.latest)
		if err := b.post(ctx, "/school-admin/fee/collection/record", fields{"studentId": b.students[child].ID, "amount": owed[child],
			"paymentMode": "CHEQUE", "referenceNumber": bounced, "inClearing": true}, &receipts[0]); err != nil {
			return err
		}
	}
	b.at(b.today, 9, 40, b.latest)
	return b.post(ctx, "/school-admin/fee/collection/"+receipts[0].ID.String()+"/bounce", fields{"reason": "The cheque bounced"}, nil)
}

// number is one that follows from the seed and what it is about.
func number(seed uint64, n, i int, about string) int {
	sum := fnv.New32a()
	_, _ = fmt.Fprint(sum, seed, " ", n, " ", i, " ", about)
	return int(sum.Sum32() >> 1)
}
