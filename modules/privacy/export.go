package privacy

import (
	"encoding/json"
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/tenancy"
)

// sections are where a person's data is. $1 is all their ids: a student's, or the
// record's and the account's.
var sections = []struct{ name, from string }{
	{"student", `student x where x.id = any($1)`},
	{"guardian", `guardian x where x.id = any($1)`},
	{"employee", `employee x where x.id = any($1)`},
	{"account", `app_user x where x.id = any($1)`},
	{"guardianships", `student_guardian x where x.student_id = any($1) or x.guardian_id = any($1)`},
	{"enrolments", `enrolment x where x.student_id = any($1)`},
	{"attendance", `attendance x where x.student_id = any($1)`},
	{"attendanceRevisions", `attendance_revision x where x.student_id = any($1)`},
	{"leave", `leave x where x.student_id = any($1) or x.employee_id = any($1) or x.created_by = any($1)`},
	{"results", `exam_result x where x.student_id = any($1)`},
	{"leavingCertificates", `leaving_certificate x where x.student_id = any($1)`},
	{"invoices", `fee_invoice x where x.student_id = any($1)`},
	{"receipts", `fee_receipt x where x.student_id = any($1)`},
	{"ledgerEntries", `ledger_entry x where x.account_id = any($1)`},
	{"concessions", `fee_concession x where x.student_id = any($1)`},
	{"feeReminders", `fee_reminder x where x.student_id = any($1)`},
	{"libraryLoans", `library_loan x where x.student_id = any($1) or x.employee_id = any($1)`},
	{"libraryReservations", `library_reservation x where x.student_id = any($1) or x.employee_id = any($1)`},
	{"rides", `ride x where x.student_id = any($1)`},
	{"notRiding", `not_riding x where x.student_id = any($1) or x.created_by = any($1)`},
	{"boardings", `boarding x where x.student_id = any($1)`},
	{"incidents", `incident x where x.reported_by = any($1)`},
	{"eventSignUps", `event_sign_up x where x.student_id = any($1) or x.created_by = any($1)`},
	{"assignments", `teacher_assignment x where x.user_id = any($1)`},
	{"lessons", `timetable_slot x where x.teacher_id = any($1)`},
	{"substitutions", `substitution x where x.substitute_teacher_id = any($1)`},
	{"threads", `thread x where x.student_id = any($1) or x.created_by = any($1)`},
	{"messages", `message x where x.sender_id = any($1) or x.thread_id in (select id from thread where student_id = any($1))`},
	{"notifications", `notification x where x.user_id = any($1) or x.student_id = any($1)`},
	{"deliveries", `delivery x where x.user_id = any($1) or x.student_id = any($1)`},
	{"preferences", `notification_preference x where x.user_id = any($1)`},
	{"calendarFeeds", `calendar_feed x where x.user_id = any($1) or x.student_id = any($1)`},
	{"files", `file x where x.uploaded_by = any($1) or x.id in (select photo_file_id from student where id = any($1))`},
	{"changes", `audit_event x where x.entity_id = any($1::text[]) or x.actor_id = any($1)`},
}

// everything is one statement, and so one moment. What lets somebody in is left out.
var everything = func() string {
	var parts []string
	for _, s := range sections {
		parts = append(parts, fmt.Sprintf(`select '%s' as name, (select jsonb_agg(to_jsonb(x) - '{password_hash,pin_hash,token_hash,search_text,storage_key,thumbnail_key}'::text[]) from %s) as data`, s.name, s.from))
	}
	return `select jsonb_object_agg(name, data)::text from (` + strings.Join(parts, " union all ") + `) s where data is not null`
}()

// exportOf is the handler that gives all that is kept of somebody. That it was given is
// in the books.
func exportOf(k kind) func(api.Ctx, byID) (api.File, error) {
	return func(c api.Ctx, r byID) (api.File, error) {
		p, err := k.read(c, r.ID, false)
		if err != nil {
			return api.File{}, err
		}
		var data string
		err = tenancy.Together(c.DB, tenancy.Query{SQL: everything, Args: []any{p.ids()}, Scan: tenancy.One(&data)})
		if err != nil {
			return api.File{}, fmt.Errorf("reading the data of a %s: %w", k.table, err)
		}
		body, err := json.MarshalIndent(map[string]any{"school": c.School.Name, "about": k.table, "id": p.ID, "madeAt": c.Now, "data": json.RawMessage(data)}, "", "  ")
		if err != nil {
			return api.File{}, fmt.Errorf("writing the data of a %s: %w", k.table, err)
		}
		err = c.Transact(func(c api.Ctx) error {
			c.Changed("export personal data", k.table, p.ID, nil, nil)
			return nil
		})
		return api.File{Name: fmt.Sprintf("%s-%s.json", k.table, p.ID), ContentType: "application/json", Body: body}, err
	}
}
