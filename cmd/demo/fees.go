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

// instalment is a part of the year's fees, by days from the day the demo is made; one that is not charged yet has no payments.
type instalment struct {
	name         string
	percent      int
	charged, due int // days before today; below zero they are to come
	from, to     int // days before today between which families pay
	whole, half  int // of a hundred families, how many pay all of it, and how many a half
}

var instalments = []instalment{
	{"Term 1", 40, 95, 75, 93, 42, 93, 4},
	{"Term 2", 30, 40, 20, 38, 0, 68, 12},
	{"Term 3", 30, 0, -60, 0, 0, 0, 0},
}

// addFees makes heads and structures, charges two instalments, and has most families pay. What is open of the first is long
// overdue, of the second for some weeks.
func (b *builder) addFees(ctx context.Context) error {
	year, err := b.year(ctx)
	if err != nil {
		return err
	}
	b.at(within(b.today.AddDays(-100), year), 10, 0, b.latest)
	structures, err := b.addStructures(ctx, year)
	if err != nil {
		return err
	}
	paid, err := b.references()
	if err != nil {
		return err
	}
	families, _ := b.plan.people()
	for n, in := range instalments {
		if in.whole == 0 {
			continue
		}
		b.at(within(b.today.AddDays(-in.charged), year), 10, 0, b.latest)
		for i, s := range structures {
			if err := b.post(ctx, "/school-admin/fee/charge", fields{"structureId": s, "classId": b.classes[i], "instalment": fmt.Sprint(n + 1)},
				nil); err != nil {
				return err
			}
		}
		owed, err := b.owed(ctx)
		if err != nil {
			return err
		}
		for _, p := range b.payments(n, in, families, owed, year) {
			if paid[p.reference] {
				continue
			}
			if err := b.pay(ctx, p); err != nil {
				return err
			}
		}
	}
	return b.bounce(ctx, families)
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
		tuition := b.plan.tuition + int64(i)*b.plan.step
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
func (b *builder) payments(n int, in instalment, families []*family, owed map[string]int64, year yearFields) []payment {
	var out []payment
	for i, f := range families {
		var total int64
		for _, c := range f.children {
			total += owed[c.number]
		}
		first := b.students[f.children[0].number]
		if total == 0 || first == nil {
			continue
		}
		chance, day := number(b.plan.seed, n, i, "pays")%100, in.to+number(b.plan.seed, n, i, "day")%(in.from-in.to+1)
		p := payment{child: first, siblings: len(f.children) > 1, amount: total, minute: i % 330,
			mode: b.plan.modes[number(b.plan.seed, n, i, "mode")%len(b.plan.modes)], reference: fmt.Sprintf("%d%05d", n+1, 10000+i)}
		switch {
		case chance < in.whole:
		case chance < in.whole+in.half:
			p.amount = total / 200 * 100
		default:
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
func (b *builder) bounce(ctx context.Context, families []*family) error {
	owed, err := b.owed(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(families, func(f *family) bool {
		return len(f.children) == 1 && owed[f.children[0].number] > 0 && b.students[f.children[0].number] != nil
	})
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
