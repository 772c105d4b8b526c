package fee

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

type reminderIn struct {
	StudentIDs []uuid.UUID `json:"studentIds" validate:"omitempty,min=1,max=5000,unique" doc:"These students"`
	ClassID    *uuid.UUID  `json:"classId" doc:"Or those of this class; with studentIds, both must hold"`
	All        bool        `json:"all" doc:"Or everybody who owes something that is due"`
	DryRun     bool        `json:"dryRun" doc:"Say whom, and remind nobody"`
}

// Reminders is who was reminded. Nobody is reminded twice on one day.
type Reminders struct {
	DryRun   bool       `json:"dryRun"`
	Sent     int        `json:"sent" doc:"How many were reminded; in a dry run, would be"`
	Already  int        `json:"already" doc:"How many had been reminded today"`
	NoDues   int        `json:"noDues" doc:"How many of those asked for owe nothing that is due"`
	Students []Reminded `json:"students" doc:"Those reminded, 1,000 of them at the most"`
}

// Reminded is one of them.
type Reminded struct {
	StudentID   uuid.UUID `json:"studentId"`
	StudentName string    `json:"studentName"`
	Amount      int64     `json:"amount" doc:"What is due"`
	DueDate     *api.Date `json:"dueDate" doc:"Since when: of the oldest that is open"`
	InClearing  int64     `json:"inClearing" doc:"What was paid by cheques that the bank has not paid yet"`
	Upcoming    int64     `json:"upcoming" doc:"What was charged and is not due yet"`
	NextDueDate *api.Date `json:"nextDueDate" doc:"When the first of that is due"`
	NextAmount  int64     `json:"-"` // what is due on that day
}

// remindersShown bounds the answer.
const remindersShown = 1000

// debtor is a student with something due, and whether they heard of it today.
type debtor struct {
	Reminded
	Heard bool
}

// sendReminders tells guardians what is due, at most once a day by the school's day:
// of two who ask at once, the database lets one remind each student.
func sendReminders(c api.Ctx, r reminderIn) (Reminders, error) {
	out := Reminders{DryRun: r.DryRun, Students: []Reminded{}}
	if len(r.StudentIDs) == 0 && r.ClassID == nil && !r.All {
		return out, api.InvalidField("studentIds", "Say whom to remind: studentIds, classId, or all")
	}
	list, err := r.debtors(c)
	if err != nil {
		return out, err
	}
	if out.NoDues, err = r.without(c, list); err != nil {
		return out, err
	}
	var due []Reminded
	for _, d := range list {
		if d.Heard {
			out.Already++
		} else {
			due = append(due, d.Reminded)
		}
	}
	if !r.DryRun {
		var late int
		if due, late, err = claim(c, due); err != nil {
			return out, err
		}
		out.Already += late
		if err := remind(c, due); err != nil {
			return out, err
		}
	}
	out.Sent, out.Students = len(due), append(out.Students, due[:min(len(due), remindersShown)]...)
	return out, nil
}

// debtors are those asked for who owe something that is due. The due date is that of the
// oldest invoice money has not reached. While something due is open, money has reached nothing that comes later: an invoice
// that is waived whole is left out, and the others are open whole.
func (r reminderIn) debtors(c api.Ctx) (list []debtor, err error) {
	var picked []uuid.UUID
	if len(r.StudentIDs) > 0 {
		picked = r.StudentIDs
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: aged + `, asked as (select * from owing where total > not_due and ($3::uuid[] is null
		or student_id = any($3))),
		item as (
			select e.account_id, e.due_date, sum(case e.entry_type when 'DR' then e.amount else -e.amount end) as net
			from ledger_entry e where e.account_id in (select student_id from asked) group by e.account_id, e.due_date),
		open as (
			select i.account_id, i.due_date, i.net,
				sum(i.net) over (partition by i.account_id order by i.due_date) + coalesce(m.net, 0) as left_open
			from item i left join item m on m.account_id = i.account_id and m.due_date is null where i.due_date is not null)
		select a.student_id, a.student_name, a.total - a.not_due as amount, a.not_due as upcoming, a.in_clearing,
			(select min(o.due_date) from open o where o.account_id = a.student_id and o.left_open > 0) as due_date,
			n.due_date as next_due_date, coalesce(n.net, 0)::bigint as next_amount,
			exists (select from fee_reminder f where f.student_id = a.student_id and f.day = $1) as heard
		from asked a left join lateral (select o.due_date, o.net from open o where o.account_id = a.student_id and o.due_date > $1
			and o.net > 0 order by o.due_date limit 1) n on true
		order by a.student_name, a.student_id`, Args: []any{c.Today(), r.ClassID, picked}, Scan: tenancy.Collect(&list)})
	if err != nil {
		return nil, fmt.Errorf("reading whom to remind: %w", err)
	}
	return list, nil
}

// without counts those asked for who owe nothing, and refuses those who are not there.
func (r reminderIn) without(c api.Ctx, list []debtor) (int, error) {
	if len(r.StudentIDs) == 0 {
		return 0, nil
	}
	var there []uuid.UUID
	if err := c.DB.Raw(`select id from student where id in ?`, r.StudentIDs).Scan(&there).Error; err != nil {
		return 0, fmt.Errorf("reading whom to remind: %w", err)
	}
	known := map[uuid.UUID]bool{}
	for _, id := range there {
		known[id] = true
	}
	var bad []api.Detail
	for i, id := range r.StudentIDs {
		if !known[id] {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("studentIds[%d]", i), Message: "No such student"})
		}
	}
	if bad != nil {
		return 0, api.Invalid(bad...)
	}
	return len(r.StudentIDs) - len(list), nil
}

// claim makes the reminders of the day this call's, and drops those another took first.
func claim(c api.Ctx, due []Reminded) (mine []Reminded, late int, err error) {
	ids, amounts := make([]uuid.UUID, len(due)), make([]int64, len(due))
	for i, d := range due {
		ids[i], amounts[i] = d.StudentID, d.Amount
	}
	type row struct{ StudentID uuid.UUID }
	var taken []row
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into fee_reminder (student_id, day, amount, sent_by, sent_at)
		select id, $1, amount, $2, $3 from unnest($4::uuid[], $5::bigint[]) as d (id, amount) order by id on conflict do nothing
		returning student_id`,
		Args: []any{c.Today(), c.User.ID, c.Now, ids, amounts}, Scan: tenancy.Collect(&taken)})
	if err != nil {
		return nil, 0, fmt.Errorf("claiming reminders: %w", err)
	}
	won := map[uuid.UUID]bool{}
	for _, t := range taken {
		won[t.StudentID] = true
	}
	for _, d := range due {
		if won[d.StudentID] {
			mine = append(mine, d)
		}
	}
	return mine, len(due) - len(mine), nil
}

// remind writes the notices, in the school's own words.
func remind(c api.Ctx, due []Reminded) error {
	var text string
	if err := c.DB.Raw(`select fee_reminder_text from school_setting`).Scan(&text).Error; err != nil {
		return fmt.Errorf("reading the reminder's text: %w", err)
	}
	f, notices := ledger.Figures(c), make([]notice.Notice, 0, len(due))
	for _, d := range due {
		since := c.Today()
		if d.DueDate != nil {
			since = *d.DueDate
		}
		body := strings.NewReplacer("{student}", d.StudentName, "{amount}", f.Money(d.Amount), "{dueDate}", ledger.Day(f, since)).Replace(text)
		if d.NextDueDate != nil {
			next, err := notice.Translate(c.School.Locale,
				notice.Text{Name: "fee.upcoming", Values: notice.Values{"amount": f.Money(d.NextAmount), "date": ledger.Day(f, *d.NextDueDate)}})
			if err != nil {
				return err
			}
			body += " " + next
		}
		if d.InClearing > 0 {
			cheques, err := notice.Translate(c.School.Locale,
				notice.Text{Name: "fee.clearing", Values: notice.Values{"amount": f.Money(d.InClearing)}})
			if err != nil {
				return err
			}
			body += " " + cheques
		}
		notices = append(notices, notice.Notice{Type: notice.Fee, Key: fmt.Sprintf("fee reminder %s %s", d.StudentID, c.Today()),
			StudentID: &d.StudentID, Text: notice.Text{Name: "fee.reminder"}, Body: body})
	}
	notice.SendBatch(c, notice.FeeReminders, notices...)
	if len(due) > 0 {
		c.Changed("remind", "fee", c.School.ID, nil, map[string]any{"students": len(due)})
	}
	return nil
}
