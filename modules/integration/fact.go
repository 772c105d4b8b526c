package integration

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// FactKind is a kind of fact that webhooks can be sent.
type FactKind struct {
	Kind   string `json:"kind" enum:"attendance.marked,leave.requested,leave.decided,leave.cancelled,exam.schedule-published,exam.published,exam.unpublished,results.uploaded,event.signed-up,event.sign-up-cancelled,academic-year.activated,students.promoted,student.changed,guardian.changed,enrolment.changed,employee.changed,class.changed,division.changed,subject.changed,exam.changed,event.changed,holiday.changed,announcement.changed,fee-receipt.changed,fee-refund.changed,book.changed,loan.changed,bus.changed,route.changed,trip.changed" example:"student.changed"`
	Title  string `json:"title"`
	Module string `json:"module" doc:"Whose read permission the person needs who chooses it"`
	Record string `json:"record" enum:"division,leave,exam,event,'academic year',promotion,student,guardian,enrolment,employee,class,subject,holiday,announcement,'fee receipt','fee refund',book,loan,bus,route,trip" doc:"What data.id is of"`

	field string // of the fact's data: the record's id
	table string // where the record's version is; empty: it has none
	entry string // of a change of a record: what the audit log calls the record
}

// kinds are all of them. What happens is named by a fact of its module; that a record was made, changed or removed follows
// from the audit log's entry of it.
var kinds = []FactKind{
	{Kind: "attendance.marked", Title: "Attendance marked", Module: "attendance", Record: "division", field: "divisionId"},
	{Kind: "leave.requested", Title: "Leave requested", Module: "leave", Record: "leave", field: "leaveId", table: "leave"},
	{Kind: "leave.decided", Title: "Leave approved or rejected", Module: "leave", Record: "leave", field: "leaveId", table: "leave"},
	{Kind: "leave.cancelled", Title: "Leave cancelled", Module: "leave", Record: "leave", field: "leaveId", table: "leave"},
	{Kind: "exam.schedule-published", Title: "Exam schedule published", Module: "exam", Record: "exam", field: "examId", table: "exam"},
	{Kind: "exam.published", Title: "Results published", Module: "result", Record: "exam", field: "examId", table: "exam"},
	{Kind: "exam.unpublished", Title: "Results withdrawn", Module: "result", Record: "exam", field: "examId", table: "exam"},
	{Kind: "results.uploaded", Title: "Marks entered", Module: "result", Record: "exam", field: "examId", table: "exam"},
	{Kind: "event.signed-up", Title: "Signed up for an event", Module: "event", Record: "event", field: "eventId", table: "event"},
	{Kind: "event.sign-up-cancelled", Title: "Sign-up cancelled", Module: "event", Record: "event", field: "eventId", table: "event"},
	{Kind: "academic-year.activated", Title: "Academic year activated", Module: "academic-year", Record: "academic year",
		field: "academicYearId", table: "academic_year"},
	{Kind: "students.promoted", Title: "Class promoted", Module: "student", Record: "promotion", field: "promotionId"},

	{Kind: "student.changed", Title: "Student", Module: "student", Record: "student", entry: "student", table: "student"},
	{Kind: "guardian.changed", Title: "Guardian", Module: "student", Record: "guardian", entry: "guardian", table: "guardian"},
	{Kind: "enrolment.changed", Title: "Enrolment in a class", Module: "student", Record: "enrolment", entry: "enrolment",
		table: "enrolment"},
	{Kind: "employee.changed", Title: "Employee", Module: "employee", Record: "employee", entry: "employee", table: "employee"},
	{Kind: "class.changed", Title: "Class", Module: "class", Record: "class", entry: "class", table: "class"},
	{Kind: "division.changed", Title: "Division", Module: "division", Record: "division", entry: "division", table: "division"},
	{Kind: "subject.changed", Title: "Subject", Module: "subject", Record: "subject", entry: "subject", table: "subject"},
	{Kind: "exam.changed", Title: "Exam", Module: "exam", Record: "exam", entry: "exam", table: "exam"},
	{Kind: "event.changed", Title: "Event", Module: "event", Record: "event", entry: "event", table: "event"},
	{Kind: "holiday.changed", Title: "Holiday", Module: "attendance", Record: "holiday", entry: "holiday", table: "holiday"},
	{Kind: "announcement.changed", Title: "Announcement", Module: "announcement", Record: "announcement", entry: "announcement",
		table: "announcement"},
	{Kind: "fee-receipt.changed", Title: "Fee receipt", Module: "fee", Record: "fee receipt", entry: "fee receipt"},
	{Kind: "fee-refund.changed", Title: "Fee refund", Module: "fee", Record: "fee refund", entry: "fee refund"},
	{Kind: "book.changed", Title: "Book", Module: "library", Record: "book", entry: "book", table: "book"},
	{Kind: "loan.changed", Title: "Loan of a book", Module: "library", Record: "loan", entry: "loan", table: "library_loan"},
	{Kind: "bus.changed", Title: "Bus", Module: "transport", Record: "bus", entry: "bus", table: "bus"},
	{Kind: "route.changed", Title: "Route", Module: "transport", Record: "route", entry: "route", table: "route"},
	{Kind: "trip.changed", Title: "Bus trip", Module: "transport", Record: "trip", entry: "trip", table: "trip"},
}

// FactKinds are all kinds, for the document.
func FactKinds() []FactKind { return kinds }

func kindOf(kind string) *FactKind {
	for i := range kinds {
		if kinds[i].Kind == kind {
			return &kinds[i]
		}
	}
	return nil
}

// listen queues the facts that webhooks want.
func (m *Module) listen(bus *events.Bus) {
	entries := map[string]FactKind{}
	for _, k := range kinds {
		if k.entry != "" {
			entries[k.entry] = k
			continue
		}
		bus.On(k.Kind, "webhooks", func(ctx context.Context, h events.Heard) error {
			var data map[string]any
			if err := h.Read(&data); err != nil {
				return err
			}
			text, _ := data[k.field].(string)
			id, err := uuid.Parse(text)
			if err != nil {
				return nil // a fact about no record in particular
			}
			return m.queue(ctx, h, []queued{{EventID: h.ID, Kind: k, RecordID: id}})
		})
	}
	bus.On(api.RecordsChanged, "webhooks", func(ctx context.Context, h events.Heard) error {
		var data api.Changes
		if err := h.Read(&data); err != nil {
			return err
		}
		var all []queued
		for i, c := range data.Changes {
			if k, wanted := entries[c.Entity]; wanted {
				all = append(all, queued{EventID: uuid.NewSHA1(h.ID, fmt.Append(nil, i)), Kind: k, RecordID: c.ID, Action: c.Action})
			}
		}
		return m.queue(ctx, h, all)
	})
}

// queued is a fact about one record.
type queued struct {
	EventID  uuid.UUID
	Kind     FactKind
	RecordID uuid.UUID
	Action   string
}

// queue writes facts down for every webhook that wants them, in the order they are published; again it writes nothing. A
// webhook that was suspended gets them when it is switched on again.
func (m *Module) queue(ctx context.Context, h events.Heard, all []queued) error {
	if len(all) == 0 {
		return nil
	}
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	var written []uuid.UUID
	var queries []tenancy.Query
	for _, q := range all {
		version := "null::int"
		if q.Kind.table != "" {
			version = "(select x.version from " + q.Kind.table + " x where x.id = $5)"
		}
		queries = append(queries,
			tenancy.Query{SQL: `insert into webhook_delivery (id, webhook_id, event_id, kind, record_type, record_id, record_version,
				action, occurred_at, next_at)
			select gen_random_uuid(), w.id, $1, $2, $3, $5, ` + version + `, $4, $6, $6 from webhook w where w.status <> 'OFF' and w.kinds ? $2
			on conflict (webhook_id, event_id) do nothing returning webhook_id`,
				Args: []any{q.EventID, q.Kind.Kind, q.Kind.Record, q.Action, q.RecordID, h.OccurredAt}, Scan: func(rows pgx.Rows) error {
					var some []uuid.UUID
					err := tenancy.Values(&some)(rows)
					written = append(written, some...)
					return err
				}})
	}
	if err := tenancy.Pipeline(db, queries...); err != nil {
		return fmt.Errorf("queueing for webhooks: %w", err)
	}
	if len(written) == 0 {
		return nil
	}
	return m.Hooks.Queued(ctx, db, h.SchoolID)
}

type kindList struct {
	Kinds []FactKind `json:"kinds"`
}

// listKinds are the kinds that the caller may choose.
func listKinds(c api.Ctx, _ api.Nothing) (kindList, error) {
	out := kindList{Kinds: []FactKind{}}
	for _, k := range kinds {
		ok, err := c.MayRead(k.Module)
		if err != nil {
			return out, err
		}
		if ok {
			out.Kinds = append(out.Kinds, k)
		}
	}
	return out, nil
}

// checkKinds refuses kinds that do not exist, and those of modules that the caller may not read.
func checkKinds(c api.Ctx, chosen []string) error {
	var bad []api.Detail
	for i, kind := range chosen {
		k := kindOf(kind)
		if k == nil {
			bad = append(bad,
				api.Detail{Field: fmt.Sprintf("kinds[%d]", i), Message: "there is no such kind: see /school-admin/integration/webhook/kinds"})
			continue
		}
		if err := c.Permit(k.Module, api.Read); err != nil {
			return err
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return nil
}

// kindNames are all kinds, for the list's filter.
func kindNames() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.Kind)
	}
	return out
}
