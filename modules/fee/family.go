package fee

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

type familyPayment struct {
	StudentID uuid.UUID     `json:"studentId" validate:"required" doc:"A child of the family; an advance stays on their account"`
	Amount    ledger.Amount `json:"amount" validate:"min=1,max=1000000000000" doc:"In minor units, for all of them"`
	Shares    []childShare  `json:"shares" validate:"max=20,dive" doc:"Who pays how much; the oldest dues of all first unless given"`
	tender
}

type childShare struct {
	StudentID uuid.UUID     `json:"studentId" validate:"required"`
	Amount    ledger.Amount `json:"amount" validate:"min=1,max=1000000000000"`
}

// FamilyCollection is one payment for several children, with a receipt for each.
type FamilyCollection struct {
	ID       uuid.UUID    `json:"id" doc:"The receipts name it: familyPaymentId"`
	Amount   int64        `json:"amount"`
	Receipts []Collection `json:"receipts"`
}

// siblingsSQL selects the student and those who share a guardian with them, without looking at all students. student is the
// argument that has their id.
func siblingsSQL(student string) string {
	return `select s.id from student s where s.deleted_at is null and s.id = any(array(
		select b.student_id from student_guardian a join student_guardian b on b.guardian_id = a.guardian_id
		where a.student_id = ` + student + `) || cast(` + student + ` as uuid))`
}

type familyOf struct {
	StudentID uuid.UUID `path:"studentId"`
}

// siblingDues is what is open for a student and their siblings.
func siblingDues(c api.Ctx, r familyOf) (FamilyDues, error) {
	out, err := duesOfFamily(c, siblingsSQL, r.StudentID)
	if err == nil && !slices.ContainsFunc(out.Items, func(d ChildDues) bool { return d.Student.ID == r.StudentID }) {
		return out, roster.ErrNoStudent
	}
	return out, err
}

var (
	allocateMany = ledger.AllocateSQL(`= any($1)`)

	selectPayers = `select s.id, s.admission_number, s.first_name, s.last_name,
		coalesce((select sum(case e.entry_type when 'DR' then e.amount else -e.amount end) from ledger_entry e
		where e.account_id = s.id), 0)::bigint as balance from student s where s.id = any($1) order by s.id`

	// repeatedShares finds what the user $1 received after the moment $2 of the students $3 in
	// the amounts $4.
	repeatedShares = `select f.student_id, 0::bigint as balance, false as closed, f.id, f.receipt_number, f.received_at from fee_receipt f
		join unnest($3::uuid[], $4::bigint[]) as n (student, amount) on n.student = f.student_id and n.amount = f.amount
		where f.received_by = $1 and f.received_at > $2
			and not exists (select from ledger_transaction t where t.reverses_id = f.transaction_id)
		order by f.received_at desc limit 1`
)

// recordFamilyPayment takes one payment for several children: a receipt for each, or none at all.
func recordFamilyPayment(c api.Ctx, r familyPayment) (FamilyCollection, error) {
	var family []uuid.UUID
	if err := c.DB.Raw(siblingsSQL("@id")+` order by s.id`, map[string]any{"id": r.StudentID}).Scan(&family).Error; err != nil {
		return FamilyCollection{}, fmt.Errorf("looking for siblings: %w", err)
	}
	if !slices.Contains(family, r.StudentID) {
		return FamilyCollection{}, roster.ErrNoStudent
	}
	if r.ReceivedOn.IsZero() {
		r.ReceivedOn = c.Today()
	}
	if err := r.tender.check(); err != nil {
		return FamilyCollection{}, err
	}
	if err := r.checkShares(c, family); err != nil {
		return FamilyCollection{}, err
	}
	var people []ledger.Payer
	var open []ledger.StudentInvoice
	var years []ledger.SchoolYear
	var closed bool
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: ledger.OpenAccounts, Args: []any{family, c.Now}, ForceGenericPlan: true},
		tenancy.Query{SQL: ledger.LockAccounts, Args: []any{family}},
		tenancy.Query{SQL: `select pg_advisory_xact_lock_shared(` + ledger.DayLock + `)`},
		tenancy.Query{SQL: allocateMany, Args: []any{family, c.Today()}, Scan: tenancy.Collect(&open)},
		tenancy.Query{SQL: selectPayers, Args: []any{family}, Scan: tenancy.Collect(&people)},
		tenancy.Query{SQL: `select exists (select from fee_day_closing where day = $1)`, Args: []any{r.ReceivedOn}, Scan: tenancy.One(&closed)},
		tenancy.Query{SQL: ledger.SelectYear, Args: []any{c.Today()}, Scan: tenancy.Collect(&years)})
	if err != nil {
		return FamilyCollection{}, fmt.Errorf("reading a family's accounts: %w", err)
	}
	year, err := ledger.OnlyYear(years)
	if err == nil {
		err = valueDate(c, "receivedOn", "Received on", r.ReceivedOn, year)
	}
	if err == nil && closed {
		err = dayClosed(r.ReceivedOn)
	}
	if err != nil {
		return FamilyCollection{}, err
	}
	list := r.split(people, open)
	if !r.ConfirmRepeat {
		if err := refuseRepeated(c, list); err != nil {
			return FamilyCollection{}, err
		}
	}
	out := FamilyCollection{ID: api.NewID(), Amount: int64(r.Amount)}
	out.Receipts, err = receive(c, year, r.tender, &out.ID, list...)
	return out, err
}

// checkShares refuses shares that are not the family's or do not come to the amount.
func (r familyPayment) checkShares(c api.Ctx, family []uuid.UUID) error {
	var bad []api.Detail
	var sum int64
	named := map[uuid.UUID]bool{}
	for i, s := range r.Shares {
		field := fmt.Sprintf("shares[%d].studentId", i)
		switch {
		case !slices.Contains(family, s.StudentID):
			bad = append(bad, api.Detail{Field: field, Message: "Not a sibling: they share no guardian"})
		case named[s.StudentID]:
			bad = append(bad, api.Detail{Field: field, Message: "This student is named twice"})
		}
		sum, named[s.StudentID] = sum+int64(s.Amount), true
	}
	if bad == nil && r.Shares != nil && sum != int64(r.Amount) {
		return api.InvalidField("shares", "The children's amounts come to %s, the amount received is %s", ledger.Money(c, sum),
			ledger.Money(c, int64(r.Amount)))
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// split is what each child pays. Without shares that were given, the money goes to the
// oldest dues of all, and what is left to the child that was named.
func (r familyPayment) split(people []ledger.Payer, open []ledger.StudentInvoice) (list []received) {
	amounts := map[uuid.UUID]int64{}
	for _, s := range r.Shares {
		amounts[s.StudentID] = int64(s.Amount)
	}
	if r.Shares == nil {
		oldest := slices.SortedStableFunc(slices.Values(open), func(a, b ledger.StudentInvoice) int {
			switch {
			case a.DueDate.Before(b.DueDate):
				return -1
			case b.DueDate.Before(a.DueDate):
				return 1
			}
			return 0
		})
		left := int64(r.Amount)
		for _, i := range oldest {
			n := min(left, i.Open)
			amounts[i.StudentID], left = amounts[i.StudentID]+n, left-n
		}
		amounts[r.StudentID] += left
	}
	for _, who := range people {
		if amounts[who.ID] == 0 {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(open), func(i ledger.StudentInvoice) bool { return i.StudentID != who.ID })
		list = append(list, received{who: who, open: own, amount: amounts[who.ID]})
	}
	return list
}

// refuseRepeated asks for a confirmation where a child's part was received moments ago.
func refuseRepeated(c api.Ctx, list []received) error {
	students, amounts := make([]uuid.UUID, len(list)), make([]int64, len(list))
	for i, p := range list {
		students[i], amounts[i] = p.who.ID, p.amount
	}
	var found []struct {
		StudentID uuid.UUID
		ledger.LastEqual
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: repeatedShares, Args: []any{c.User.ID, c.Now.Add(-ledger.RepeatWithin), students,
		amounts},
		Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("looking for an equal payment: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	i := slices.Index(students, found[0].StudentID)
	return repeated(c, found[0].LastEqual, amounts[i], list[i].who)
}
