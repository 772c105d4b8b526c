package privacy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What is erased, table by table. @ids are the person's, @first, @last and @name the
// neutral name, @words what told them, @addresses their phone and e-mail.

// own are the person's own records. They stay, for others refer to them.
var own = map[string][]string{
	"student": {
		`update student set first_name = @first, last_name = @last, gender = '', date_of_birth = null, blood_group = '', address = '', phone = '', email = '', photo_file_id = null,
			previous_school = '', medical_notes = '', allergies = '', emergency_contact_name = '', emergency_contact_phone = '', leaving_reason = '', custom_fields = '{}',
			search_text = @search, deleted_at = coalesce(deleted_at, @now), erased_at = @now, version = version + 1, updated_at = @now, updated_by = @by where id = any(@ids)`,
		`delete from student_guardian where student_id = any(@ids)`,
		`update attendance set remark = '', reason = '' where student_id = any(@ids)`,
		`update exam_result set remark = '' where student_id = any(@ids)`,
		`update leaving_certificate set reason = 'Erased', conduct = '', snapshot = snapshot || jsonb_build_object('firstName', @first::text, 'lastName', @last::text,
			'gender', '', 'dateOfBirth', null, 'guardians', '[]'::jsonb) where student_id = any(@ids)`,
		`update fee_concession set reason = 'Erased' where student_id = any(@ids)`,
		`update boarding set reason = '' where student_id = any(@ids)`,
		`update thread set subject = '' where student_id = any(@ids)`,
		`update message set body = 'Erased' where thread_id in (select id from thread where student_id = any(@ids))`,
	},
	"guardian": {
		`update guardian set first_name = @first, last_name = @last, phone = 'erased ' || @number::bigint, email = '', occupation = '', erased_at = @now, version = version + 1, updated_at = @now, updated_by = @by where id = any(@ids)`,
		`update student set emergency_contact_name = '', emergency_contact_phone = '' where emergency_contact_phone <> '' and emergency_contact_phone = any(@addresses)`,
		`delete from student_guardian where guardian_id = any(@ids)`,
	},
	"employee": {
		`update employee set first_name = @first, last_name = @last, phone = '', email = '', qualification = '', licence_number = '', licence_expiry_date = null,
			search_text = @search, erased_at = @now, version = version + 1, updated_at = @now, updated_by = @by where id = any(@ids)`,
	},
}

// everywhere is what is kept of anybody: how they sign in, what they wrote, what they
// were told, and where others' records name them.
//
// Notices come first: whoever turns one into messages holds it, so that its messages are
// there when the deliveries' turn comes.
var everywhere = []string{
	`delete from notice where student_id = any(@ids) or user_id = any(@ids)`,
	`update app_user set first_name = @first, last_name = @last, phone = null, email = null, password_hash = null, pin_hash = null, status = 'DISABLED',
		version = version + 1, updated_at = @now where id = any(@ids)`,
	`update message set body = 'Erased' where sender_id = any(@ids)`,
	`update leave set reason = 'Erased', decision_note = '' where student_id = any(@ids) or employee_id = any(@ids) or created_by = any(@ids)`,
	`update incident set description = 'Erased', lat = null, lng = null where reported_by = any(@ids)`,
	`delete from not_riding where student_id = any(@ids) or created_by = any(@ids)`,
	`delete from notification where student_id = any(@ids) or user_id = any(@ids)`,
	`delete from notification_preference where user_id = any(@ids)`,
	`delete from calendar_feed where student_id = any(@ids) or user_id = any(@ids)`,
	`update delivery set title = 'Erased', body = 'Erased', recipient = 'erased', last_error = case when state = 'QUEUED' then 'Erased' else '' end,
		state = case when state = 'QUEUED' then 'FAILED' else state end
		where student_id = any(@ids) or user_id = any(@ids) or (recipient <> '' and recipient = any(@addresses))`,
	`update import_run set report = '{}' where exists (select from unnest(@words::text[]) w where strpos(report::text, w) > 0)`,
	`delete from idempotency where actor_id = any(@ids) or exists (select from unnest(@words::text[]) w where strpos(answer, w) > 0)`,
	`select erase_from_books(@ids, @words::text[], @name)`,
}

// deleteFiles removes the person's files: those of messages with or about them, those
// they gave, and their picture. What others' records show (an announcement's file) stays.
const deleteFiles = `with theirs as (
		select f.id from file f where f.uploaded_by = any(@ids)
			and not exists (select from file_link l where l.file_id = f.id and l.kind = 'announcement') and not exists (select from student s where s.photo_file_id = f.id)
		union select l.file_id from file_link l join message m on m.id = l.record_id join thread t on t.id = m.thread_id where t.student_id = any(@ids)
		union select @photo::uuid where @photo::uuid is not null and not exists (select from student s where s.photo_file_id = @photo::uuid)),
	unlinked as (delete from file_link where file_id in (select id from theirs)),
	deleted as (delete from file where id in (select id from theirs) returning id)
	select id from deleted`

// bind turns @names into numbered parameters.
func bind(sql string, args map[string]any) (string, []any) {
	var values []any
	for _, name := range slices.Sorted(maps.Keys(args)) { // the same text every time, for the server remembers it
		if !strings.Contains(sql, "@"+name) {
			continue
		}
		values = append(values, args[name])
		sql = strings.ReplaceAll(sql, "@"+name, fmt.Sprintf("$%d", len(values)))
	}
	return sql, values
}
