package year_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// yearsFees is what the test knows of the year's money because it sent it.
type yearsFees struct {
	tuition, exams, lunch uuid.UUID
	full, half            uuid.UUID                 // the lunch's options
	structures            map[uuid.UUID][]uuid.UUID // of each year, by class
	balance               map[string]int64          // what each student owes, by admission number
	drawer                map[string]int64          // what came in, by day and mode
	granted               map[int]bool              // who has a concession by hand
	cheques               []cheque
	toReverse             []cheque
	receipts              map[string]int // how many, by academic year
}

type cheque struct {
	child   int
	receipt uuid.UUID
	amount  int64
}

const (
	fineAmount = 250_00
	leastFined = 500_00 // of less that is open nobody is fined
)

// settleFees says what each class pays in both years, and enters what families owed before.
func (y *wholeYear) settleFees(t *testing.T) {
	f := &y.fees
	f.balance, f.drawer, f.granted, f.receipts = map[string]int64{}, map[string]int64{}, map[int]bool{}, map[string]int{}
	testkit.Put[struct{}](t, y.office, "/school-admin/setting", map[string]any{"feeRoundTo": 100, "lateFineType": "FIXED",
		"lateFineAmount": fineAmount, "lateFineGraceDays": 10, "lateFineThreshold": leastFined})
	head := func(name, code, kind string, more map[string]any) charging.Head {
		data := map[string]any{"name": name, "code": code, "type": kind}
		maps.Copy(data, more)
		return testkit.Post[charging.Head](t, y.office, "/school-admin/fee/head/create", data)
	}
	f.tuition, f.exams = head("Tuition", "TUI", "TUITION", nil).ID, head("Exams", "EXA", "EXAM", nil).ID
	lunch := head("Lunch", "LUN", "OTHER", map[string]any{"optional": true, "amountBy": "OPTION", "amounts": []any{
		map[string]any{"name": "Every day", "amount": 9_000_50}, map[string]any{"name": "Half the week", "amount": 5_500_00}}})
	f.lunch, f.full, f.half = lunch.ID, *lunch.Amounts[0].ID, *lunch.Amounts[1].ID
	f.structures = map[uuid.UUID][]uuid.UUID{}
	for _, in := range []struct {
		year  uuid.UUID
		first int
		more  int64
	}{{y.this, 2026, 0}, {y.next, 2027, 2_500_00}} {
		for i, class := range y.classes {
			f.structures[in.year] = append(f.structures[in.year], create(t, y.office, "/school-admin/fee/structure/create", map[string]any{
				"classId": class, "academicYearId": in.year, "name": fmt.Sprint("Class ", i+1), "heads": []any{
					map[string]any{"feeHeadId": f.tuition, "amount": 36_000_00 + int64(i)*1_111_11 + in.more},
					map[string]any{"feeHeadId": f.exams, "amount": 1_999_99}, map[string]any{"feeHeadId": f.lunch, "amount": 0}},
				"instalments": []any{quarter("Term 1", in.first, "04-10"), quarter("Term 2", in.first, "07-10"), quarter("Term 3", in.first, "10-10"),
					quarter("Term 4", in.first+1, "01-10")}}))
		}
	}
	var file strings.Builder
	file.WriteString("admissionNumber,amount,date,note\r\n")
	for i, c := range y.children {
		rupees := int64(0)
		switch {
		case i%12 == 5:
			rupees = 800 + int64(i)
		case i%60 == 18:
			rupees = -20_000 - int64(i)
		default:
			continue
		}
		f.balance[c.number] += rupees * 100
		day := []string{"2026-04-10", "2026-07-10", "2026-09-30", "2026-11-10"}[i/12%4]
		fmt.Fprintf(&file, "%s,%d.00,%s,Brought forward\r\n", c.number, rupees, day)
	}
	a := y.office.Send(t, "POST", "/school-admin/fee/opening-balance/import", "text/csv", []byte(file.String()))
	if a.Status >= 300 {
		t.Fatalf("opening balances: %d %s", a.Status, a.Body)
	}
	y.checkBalances(t)
}

func quarter(name string, year int, day string) map[string]any {
	return map[string]any{"name": name, "dueDate": fmt.Sprintf("%d-%s", year, day), "percent": 25}
}

// subscribe gives some students lunch, and concessions by hand and by rule.
func (y *wholeYear) subscribe(t *testing.T) {
	f := &y.fees
	y.lunch(t, f.full, "2026-11-01", nil, 10, 4)
	y.lunch(t, f.half, "2026-04-01", nil, 30, 9)
	y.lunch(t, f.half, "2026-10-10", "2027-01-31", 60, 15)
	for _, rule := range []map[string]any{{"kind": "SIBLING", "child": 2, "percent": 10},
		{"kind": "SIBLING", "child": 3, "percent": 22.5, "feeHeadId": f.tuition}, {"kind": "STAFF", "percent": 50, "feeHeadId": f.tuition}} {
		create(t, y.office, "/school-admin/fee/rule/create", rule)
	}
	create(t, y.office, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "phone": y.phoneOf(y.children[12]), "employeeType": "TEACHER"})
	y.grant(t, 37, 5, map[string]any{"mode": "PERCENT", "value": 30, "feeHeadId": f.tuition})
	y.grant(t, 41, 6, map[string]any{"mode": "AMOUNT", "value": 1_500_01})
}

// lunch subscribes the children whose number leaves a remainder.
func (y *wholeYear) lunch(t *testing.T, option uuid.UUID, from string, to any, of, remainder int) {
	t.Helper()
	var ids []uuid.UUID
	for i, c := range y.children {
		if i%of == remainder {
			ids = append(ids, c.id)
		}
	}
	testkit.Post[struct{}](t, y.office, "/school-admin/fee/subscription/create",
		map[string]any{"feeHeadId": y.fees.lunch, "studentIds": ids, "optionId": option, "fromDate": from, "toDate": to})
}

// grant gives a concession to the children whose number leaves a remainder, unless they have one.
func (y *wholeYear) grant(t *testing.T, of, remainder int, what map[string]any) {
	t.Helper()
	for i, c := range y.children {
		if i%of != remainder || y.fees.granted[i] {
			continue
		}
		y.fees.granted[i] = true
		body := map[string]any{"studentId": c.id, "reason": "Hardship"}
		maps.Copy(body, what)
		got := testkit.Post[charging.GrantedConcession](t, y.office, "/school-admin/fee/concession", body)
		y.fees.balance[c.number] -= got.Posted
		// What it takes off instalments that were charged before is 12.5 percent, or what is left of them.
		want := y.select2(t, `select v.id::text as key, least(round(v.asked * 0.125), v.asked - v.waived)::bigint::text as value from (
			select i.id, (select sum((l ->> 'amount')::bigint) from jsonb_array_elements(i.lines) l) as asked,
				(select coalesce(sum((l ->> 'waived')::bigint), 0) from jsonb_array_elements(i.lines) l) as waived
			from fee_invoice i where i.student_id = ? and i.structure_id is not null) v`, c.id)
		var sum int64
		for _, n := range want {
			amount, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += amount
		}
		if got.Posted != sum {
			t.Errorf("%s: a concession took off %d, want %d", c.number, got.Posted, sum)
		}
	}
}

// charged is what students are to be billed for an instalment, worked out from what each class
// pays, since when they sit there, their lunch and the rules. A line is a student and a head;
// "waived" is what rules and concessions take off.
const charged = `with term as (
		select i.structure_id, f.class_id, sum(i.percent) filter (where i.number <= @instalment) as upto,
			sum(i.percent) filter (where i.number < @instalment) as before
		from fee_instalment i join fee_structure f on f.id = i.structure_id where f.academic_year_id = @year group by 1, 2),
	pupil as (
		select s.id, s.admission_number, t.structure_id, t.upto, coalesce(t.before, 0) as before, y.start_date as first, y.end_date as last,
			(select min(n.start_date) from enrolment n where n.student_id = s.id and n.academic_year_id = @year) as joined
		from student s join academic_year y on y.id = @year
			join enrolment e on e.student_id = s.id and e.academic_year_id = @year and (e.end_date is null or e.end_date >= @today)
			join term t on t.class_id = e.class_id where s.status = 'ACTIVE'),
	month as (
		select id, (extract(year from age(date_trunc('month', joined), date_trunc('month', first))) * 12
			+ extract(month from age(date_trunc('month', joined), date_trunc('month', first))))::int as late from pupil),
	due as (
		select p.id, p.admission_number, h.fee_head_id, round(v.price * p.upto / 100) - round(v.price * p.before / 100) as amount
		from pupil p join month m on m.id = p.id join fee_structure_head h on h.structure_id = p.structure_id
			join fee_head k on k.id = h.fee_head_id and not k.optional,
			lateral (select case when m.late <= 0 then h.amount
				else least(h.amount, round(h.amount * (12 - m.late) / 12.0 / 100) * 100) end as price) v
		union all
		select p.id, p.admission_number, b.fee_head_id, greatest(0, sum(case when w.begins >= w.ends or w.begins >= p.upto * 12 / 100 then 0
				when w.begins = 0 and w.ends = 12 then round(a.price * p.upto / 100)
				else least(a.price, round(a.price * (least(w.ends, p.upto * 12 / 100) - w.begins) / 12 / 100) * 100) end)
			- (select coalesce(sum((l ->> 'amount')::bigint), 0) from fee_invoice o, jsonb_array_elements(o.lines) l
				where o.student_id = p.id and o.structure_id = p.structure_id and o.instalment < @instalment
				and (l ->> 'feeHeadId')::uuid = b.fee_head_id))
		from pupil p join fee_subscription b on b.student_id = p.id and b.from_date <= p.last and coalesce(b.to_date, p.last) >= p.first
			join fee_head k on k.id = b.fee_head_id,
			lateral (select (x ->> 'amount')::numeric as price from jsonb_array_elements(k.amounts) x where (x ->> 'id')::uuid = b.option_id) a,
			lateral (select greatest(b.from_date, p.joined, p.first) as day, least(b.to_date, p.last) as until) c,
			lateral (select (extract(year from c.day) - extract(year from p.first)) * 12 + extract(month from c.day) - extract(month from p.first)
				as begins, (extract(year from c.until) - extract(year from p.first)) * 12 + extract(month from c.until) - extract(month from p.first)
				+ 1 as ends) w
		group by p.id, p.admission_number, b.fee_head_id, p.structure_id),
	sibling as (
		select s.id, row_number() over (partition by g.guardian_id order by s.date_of_birth nulls last, s.admission_date, s.id) as nth,
			exists (select from guardian w join employee m on m.phone = w.phone where w.id = g.guardian_id) as staff
		from student s join student_guardian g on g.student_id = s.id where s.status = 'ACTIVE'),
	ruled as (
		select due.*, round(due.amount * coalesce(greatest(case when b.nth >= 2 then 10 end,
			case when b.nth >= 3 and due.fee_head_id = @tuition then 22.5 end,
			case when b.staff and due.fee_head_id = @tuition then 50 end), 0) / 100) as waived
		from due left join sibling b on b.id = due.id where due.amount > 0),
	total as (
		select id, admission_number, sum(amount) as amount, sum(waived) as waived,
			sum(amount) filter (where fee_head_id = @tuition) as tuition from ruled group by 1, 2),
	conceded as (
		select x.id, x.waived + least(x.amount - x.waived, coalesce((select case g.mode
			when 'PERCENT' then round(case when g.fee_head_id is null then x.amount else x.tuition end * g.value / 100)
			else least(x.amount, round(g.value * p.upto / 100) - round(g.value * p.before / 100)) end
			from fee_concession g where g.student_id = x.id and g.academic_year_id = @year), 0)) as waived
		from total x join pupil p on p.id = x.id)
	select admission_number || ' ' || case fee_head_id when @tuition then 'tuition' when @lunch then 'lunch' else 'exams' end as key,
		amount::bigint::text as value from ruled
	union all
	select x.admission_number || ' waived', c.waived::bigint::text from total x join conceded c on c.id = x.id where c.waived > 0
	union all
	select admission_number || ' joined late', 'true' from pupil join month on month.id = pupil.id where late > 0`

// charge bills every class for an instalment: a dry run, then the charge, and again. What it
// bills is what the structures say.
func (y *wholeYear) charge(t *testing.T, year uuid.UUID, instalment int) {
	want := y.select2(t, charged, map[string]any{"year": year, "instalment": instalment, "today": y.today(),
		"tuition": y.fees.tuition, "lunch": y.fees.lunch})
	got := map[string]string{}
	names := map[uuid.UUID]string{y.fees.tuition: " tuition", y.fees.lunch: " lunch", y.fees.exams: " exams"}
	numbers := map[uuid.UUID]string{}
	for id, number := range y.select2(t, `select id::text as key, admission_number as value from student`) {
		numbers[uuid.MustParse(id)] = number
	}
	for i, structure := range y.fees.structures[year] {
		body := map[string]any{"structureId": structure, "instalment": instalment, "classId": y.classes[i]}
		dry := maps.Clone(body)
		dry["dryRun"] = true
		plan := testkit.Post[charging.Charged](t, y.office, "/school-admin/fee/charge", dry)
		for _, s := range plan.Students {
			number := numbers[s.StudentID]
			for _, line := range s.Lines {
				got[number+names[*line.FeeHeadID]] = fmt.Sprint(line.Amount)
			}
			if s.Concession > 0 {
				got[number+" waived"] = fmt.Sprint(s.Concession)
			}
			if s.ProRata {
				got[number+" joined late"] = "true"
			}
			y.fees.balance[number] += s.Amount - s.Concession
		}

		done := testkit.Post[charging.Charged](t, y.office, "/school-admin/fee/charge", body)

		if done.Charged != plan.Charged || done.Amount != plan.Amount || done.Concession != plan.Concession || done.ProRata != plan.ProRata {
			t.Errorf("class %d: charged %+v, the dry run said %+v", i+1, done, plan)
		}
		if again := testkit.Post[charging.Charged](t, y.office, "/school-admin/fee/charge", body); again.Charged != 0 {
			t.Errorf("class %d: charged again: %+v", i+1, again)
		}
	}
	same(t, "charge", got, want)
	y.checkBalances(t)
}

// pay receives money of a child's.
func (y *wholeYear) pay(t *testing.T, i int, amount int64, mode string, more ...map[string]any) fee.Collection {
	t.Helper()
	c := y.children[i]
	body := map[string]any{"studentId": c.id, "amount": amount, "paymentMode": mode, "referenceNumber": "004711"}
	for _, m := range more {
		maps.Copy(body, m)
	}
	got := testkit.Post[fee.Collection](t, y.office, "/school-admin/fee/collection/record", body)
	y.received(t, c.number, mode, amount, got)
	return got
}

// received notes a payment, and checks the receipt's number and the balance it says.
func (y *wholeYear) received(t *testing.T, number, mode string, amount int64, got fee.Collection) {
	t.Helper()
	f := &y.fees
	f.balance[number] -= amount
	f.drawer[y.today().String()+" "+mode] += amount
	name := "2026-27"
	if y.today().String() >= "2027-04-01" {
		name = "2027-28"
	}
	f.receipts[name]++
	if want := fmt.Sprintf("%s/R-%06d", name, f.receipts[name]); got.ReceiptNumber != want {
		t.Errorf("receipt %s, want %s", got.ReceiptNumber, want)
	}
	if got.Balance != f.balance[number] || got.Amount != amount {
		t.Errorf("receipt %s of %s: %d, balance %d, want %d, balance %d", got.ReceiptNumber, number, got.Amount, got.Balance, amount,
			f.balance[number])
	}
}

// payThird is a day at the counter: some pay everything, some half, some all but a little.
func (y *wholeYear) payThird(t *testing.T) { y.payQueue(t, 0) }

func (y *wholeYear) payQueue(t *testing.T, shift int) {
	t.Helper()
	for i, c := range y.children {
		owed := y.fees.balance[c.number]
		mode := []string{"CASH", "UPI", "CARD", "BANK_TRANSFER"}[i/3%4]
		if owed <= 1_000_00 {
			continue
		}
		switch (i + shift) % 30 {
		case 0, 6:
			y.pay(t, i, owed, mode)
		case 3:
			y.pay(t, i, owed/2, mode)
		case 9:
			y.pay(t, i, owed-300_00, mode) // below what is fined
		case 12:
			y.pay(t, i, owed+5_000_00, mode) // ahead
		}
	}
}

// payFamilies takes one payment for several children, and cheques; both days are closed.
func (y *wholeYear) payFamilies(t *testing.T) {
	f := &y.fees
	for n, i := range []int{32, 62, 92, 127, 157, 187} { // the first of two or three siblings
		family := []int{i, i + 1}
		if i%10 == 2 {
			family = append(family, i+2)
		}
		var sum int64
		var shares []any
		for _, k := range family {
			if owed := f.balance[y.children[k].number]; owed > 0 {
				sum += owed
				shares = append(shares, map[string]any{"studentId": y.children[k].id, "amount": owed})
			}
		}
		body := map[string]any{"studentId": y.children[i].id, "amount": sum, "paymentMode": "CASH"}
		if n%2 == 0 {
			body["shares"] = shares
		}
		got := testkit.Post[fee.FamilyCollection](t, y.office, "/school-admin/fee/collection/family", body)
		if len(got.Receipts) != len(shares) {
			t.Fatalf("%d receipts for %d children", len(got.Receipts), len(shares))
		}
		for _, r := range got.Receipts {
			for _, k := range family {
				if c := y.children[k]; c.id == r.StudentID {
					y.received(t, c.number, "CASH", f.balance[c.number], r)
				}
			}
		}
	}
	for i := 1; i < pupils; i += 50 {
		if owed := f.balance[y.children[i].number]; owed > 0 {
			got := y.pay(t, i, owed, "CHEQUE", map[string]any{"inClearing": true})
			f.cheques = append(f.cheques, cheque{i, got.ID, owed})
		}
	}
	for i := 13; i < pupils; i += 120 {
		got := y.pay(t, i, 777_00, "CASH")
		f.toReverse = append(f.toReverse, cheque{i, got.ID, 777_00})
	}
	closes := func(day string, counted int64, reason string) {
		got := testkit.Post[fee.DayClosing](t, y.office, "/school-admin/fee/day/close",
			map[string]any{"date": day, "counted": counted, "reason": reason})
		if want := f.drawer[day+" CASH"]; got.Expected != want || got.Difference != counted-want {
			t.Errorf("%s: %d expected and %d more counted, want %d and %d", day, got.Expected, got.Difference, want, counted-want)
		}
	}
	closes("2026-11-23", f.drawer["2026-11-23 CASH"], "")
	closes("2026-11-24", f.drawer["2026-11-24 CASH"]-20_00, "Wrong change")
	y.checkDrawer(t)
	y.checkBalances(t)
	holiday := map[string]any{"name": "Founders' day", "startDate": "2026-11-25", "endDate": "2026-11-25"}
	create(t, y.office, "/school-admin/attendance/holiday/create", holiday)
}

// takeBack reverses payments that were a mistake, and gives back what was paid ahead.
func (y *wholeYear) takeBack(t *testing.T) {
	f := &y.fees
	for _, p := range f.toReverse {
		testkit.Post[fee.Reversed](t, y.office, "/school-admin/fee/collection/"+p.receipt.String()+"/reverse",
			map[string]any{"reason": "Another child's"})
		f.balance[y.children[p.child].number] += p.amount
		f.drawer[y.today().String()+" CASH"] -= p.amount
	}
	n := 0
	for i, c := range y.children {
		if f.balance[c.number] > -4_000_00 {
			continue
		}
		n++
		mode := []string{"CASH", "BANK_TRANSFER"}[n%2]
		got := testkit.Post[fee.Refunded](t, y.office, "/school-admin/fee/refund", map[string]any{"studentId": c.id, "amount": 1_000_00,
			"paymentMode": mode, "reason": "Asked for"})
		f.balance[c.number] += 1_000_00
		f.drawer[y.today().String()+" "+mode] -= 1_000_00
		if want := fmt.Sprintf("2026-27/RF-%06d", n); got.RefundNumber != want || got.Balance != f.balance[c.number] {
			t.Errorf("child %d: refund %s, balance %d; want %s, %d", i, got.RefundNumber, got.Balance, want, f.balance[c.number])
		}
	}
	if n < 5 {
		t.Errorf("%d refunds", n)
	}
	y.checkDrawer(t)
	y.checkBalances(t)
}

// clearCheques hears from the bank: of three cheques one bounces, with a charge for every other.
func (y *wholeYear) clearCheques(t *testing.T) {
	f := &y.fees
	today := y.today().String() + " CHEQUE"
	for n, q := range f.cheques {
		path := "/school-admin/fee/collection/" + q.receipt.String()
		switch number := y.children[q.child].number; n % 3 {
		case 0:
			testkit.Post[fee.Cheque](t, y.office, path+"/clear", nil)
		case 1:
			charge := int64(n%2) * 150_00
			testkit.Post[fee.Cheque](t, y.office, path+"/bounce", map[string]any{"reason": "Insufficient funds", "charge": charge})
			f.balance[number] += q.amount + charge
			f.drawer[today] -= q.amount
		}
	}
	y.grant(t, 43, 8, map[string]any{"mode": "PERCENT", "value": 12.5})
	y.checkDrawer(t)
	y.checkBalances(t)
}

// otherMoney is an excursion, fines by hand, and dues that the school gives up. Lunch begins for some.
func (y *wholeYear) otherMoney(t *testing.T) {
	f := &y.fees
	trip := testkit.Post[charging.AdHocCharged](t, y.office, "/school-admin/fee/charge/ad-hoc", map[string]any{"feeHeadId": f.exams,
		"amount": 350_00, "dueDate": "2026-12-15", "text": "Excursion to the zoo", "classId": y.classes[2]})
	if trip.Charged != pupils/levels {
		t.Errorf("%d go on the excursion", trip.Charged)
	}
	for _, c := range y.children {
		if c.class == 2 {
			f.balance[c.number] += 350_00
		}
	}
	testkit.Post[struct{}](t, y.office, "/school-admin/fee/transaction/"+trip.Students[0].TransactionID.String()+"/reverse",
		map[string]any{"reason": "Ill that day"})
	for _, c := range y.children {
		if c.id == trip.Students[0].StudentID {
			f.balance[c.number] -= 350_00
		}
	}
	for i := 21; i < pupils; i += 100 {
		testkit.Post[charging.Fined](t, y.office, "/school-admin/fee/fine",
			map[string]any{"studentId": y.children[i].id, "amount": 75_00, "reason": "Broken window"})
		f.balance[y.children[i].number] += 75_00
	}
	n := 0
	for i := 17; i < pupils; i += 60 { // who brought a balance
		c := y.children[i]
		if f.balance[c.number] < 2_000_00 {
			continue
		}
		off := testkit.Post[fee.WriteOff](t, y.office, "/school-admin/fee/write-off",
			map[string]any{"studentId": c.id, "amount": 500_00, "reason": "Not to be reached"})
		if n++; n%3 == 0 {
			testkit.Post[fee.WriteOff](t, y.office, "/school-admin/fee/write-off/"+off.ID.String()+"/reverse",
				map[string]any{"reason": "They pay after all"})
			continue
		}
		f.balance[c.number] -= 500_00
	}
	if n < 3 {
		t.Errorf("%d write-offs", n)
	}
	y.lunch(t, f.half, "2026-12-01", nil, 30, 19)
	y.askLeave(t)
	y.checkBalances(t)
}

// payFourth is the next term's counter, after the night's fines.
func (y *wholeYear) payFourth(t *testing.T) {
	y.fine(t)
	y.payQueue(t, 6)
	y.checkDues(t)
	y.checkBalances(t)
	y.checkDrawer(t)
}

// chargeEarly bills the next year before the promotion: everybody sits in a class of this one, and
// nobody is billed but three who were admitted for the next.
func (y *wholeYear) chargeEarly(t *testing.T) {
	for i := range 3 {
		made := testkit.Post[roster.StudentDetail](t, y.office, "/school-admin/student/create",
			map[string]any{"firstName": fmt.Sprint("New", i), "classId": y.classes[0], "admissionDate": "2027-04-01"})
		y.children = append(y.children, child{id: made.ID, number: made.AdmissionNumber})
		y.fees.balance[made.AdmissionNumber] = 9_625_00 + 500_00 // a quarter of tuition, and of exams to the last unit
	}
	for i, structure := range y.fees.structures[y.next] {
		got := testkit.Post[charging.Charged](t, y.office, "/school-admin/fee/charge",
			map[string]any{"structureId": structure, "instalment": 1, "classId": y.classes[i]})
		if want := map[int]int{0: 3}[i]; got.Charged != want {
			t.Errorf("class %d: %d are billed for the next year, want %d", i+1, got.Charged, want)
		}
	}
	y.checkBalances(t)
}

// payNext takes money in the new year: its receipts begin with 1.
func (y *wholeYear) payNext(t *testing.T) {
	y.payQueue(t, 3)
	y.checkDues(t)
	y.checkBalances(t)
	y.checkDrawer(t)
	if got := y.fees.receipts["2027-28"]; got < 20 {
		t.Errorf("%d receipts of the new year", got)
	}
}

// closeAccounts ends the story: fines of the new year's first instalment, registers of a week,
// and every statement.
func (y *wholeYear) closeAccounts(t *testing.T) {
	y.fine(t)
	y.checkDues(t)
	y.checkStatements(t)
	y.registerNext(t)
	first := y.children[62]
	mine := testkit.Get[fee.FamilyDues](t, y.parent(t, first), "/parent/fee/dues")
	got, want := map[string]int64{}, map[string]int64{}
	for _, d := range mine.Items {
		got[d.Student.AdmissionNumber] = d.Balance
	}
	for _, c := range y.children[62:65] {
		want[c.number] = y.fees.balance[c.number]
	}
	same(t, "family's dues", amounts(got), amounts(want))
	y.checkLastYear(t)
}

// amounts reads a map of figures as numbers.
func amounts(m map[string]int64) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		if v != 0 {
			out[k] = strconv.FormatInt(v, 10)
		}
	}
	return out
}
