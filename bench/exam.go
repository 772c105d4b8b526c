package main

import (
	"context"
	"fmt"
	"time"

	"homeroom/tenancy"
)

const (
	examinedStudents = 500
	publishTarget    = 0.3
)

// examSQL gives class 5 an exam of five papers, with a result of each student in each.
const examSQL = `
insert into grade_scale (id, name, is_default, bands)
values (gen_random_uuid(), 'A to C', true, '[{"grade":"A","minPercent":80},{"grade":"B","minPercent":40},{"grade":"C","minPercent":0}]');
insert into subject (id, name, code) select md5('subject' || n)::uuid, 'Subject ' || n, 'S' || n from generate_series(1, 5) n;
insert into exam (id, name, academic_year_id, status) select md5('exam')::uuid, 'Half-yearly', id, 'SCHEDULED' from academic_year
where active;
insert into exam_class (exam_id, class_id) values (md5('exam')::uuid, md5('5')::uuid);
insert into exam_paper (id, exam_id, class_id, subject_id, exam_date, start_time, end_time, max_marks, pass_marks)
	select md5('paper' || n)::uuid, md5('exam')::uuid, md5('5')::uuid, md5('subject' || n)::uuid, current_date + n, '09:00', '11:00', 100, 40
	from generate_series(1, 5) n;
insert into exam_result (id, paper_id, student_id, marks_obtained)
	select gen_random_uuid(), p.id, e.student_id, (e.roll_number * 7 + extract(day from p.exam_date)::int * 13) % 101 from exam_paper p
	join enrolment e on e.class_id = p.class_id;`

// publishSQL writes the rows that publishing writes, set by set: grades, the exam's
// state, a notice for each student, a line for each guardian, the facts and the book.
const publishSQL = `begin;
update exam_result r set grade = case when r.marks_obtained * 100 / p.max_marks >= 80 then 'A'
when r.marks_obtained * 100 / p.max_marks >= 40 then 'B' else 'C' end
	from exam_paper p where p.id = r.paper_id and p.exam_id = md5('exam')::uuid;
update exam set status = 'PUBLISHED', published_at = now(), schedule_published_at = now(), publication = publication + 1,
version = version + 1 where id = md5('exam')::uuid;
insert into notice (id, type, key, record_id, student_id, title, body, teaser, due_at, told_at, created_at)
	select gen_random_uuid(), 'RESULT', 'result ' || md5('exam')::uuid || ' ' || s.id || ' 1', md5('exam')::uuid, s.id, 'Results published',
	'The results of Half-yearly are published for ' || s.first_name || '.', 'Results published', now(), now(), now()
	from student s where s.id in (select r.student_id from exam_result r join exam_paper p on p.id = r.paper_id
	where p.exam_id = md5('exam')::uuid);
insert into notification (id, user_id, dedupe_key, type, title, body, record_id, student_id, created_at)
	select gen_random_uuid(), g.user_id, n.key, n.type, n.title, n.body, n.record_id, n.student_id, now()
	from notice n join student_guardian sg on sg.student_id = n.student_id and sg.can_view_data join guardian g on g.id = sg.guardian_id
	join app_user u on u.id = g.user_id and u.status = 'ACTIVE';
insert into outbox (id, kind, payload, occurred_at) values (gen_random_uuid(), 'exam.published', '{}', now());
insert into outbox (id, kind, payload, occurred_at)
select gen_random_uuid(), 'notices.due', jsonb_build_object('ids', jsonb_agg(id)), now() from notice;
insert into audit_event (id, actor_role, action, entity, entity_id, occurred_at)
values (gen_random_uuid(), 'SCHOOL_ADMIN', 'publish', 'exam', md5('exam')::text, now());
commit;`

// measurePublishing publishes an exam's results, by the service and by SQL alone.
func measurePublishing(ctx context.Context, b *bench) error {
	file := studentFile(2 * examinedStudents) // every second one is in class 5
	var ours, limit []time.Duration
	for range b.rounds {
		for _, by := range []struct {
			into *[]time.Duration
			run  func(*office) error
		}{
			{&ours, func(o *office) error {
				return o.call("/school-admin/exam/"+md5ID("exam").String()+"/publish", "application/json", []byte(`{"data":{}}`))
			}},
			{&limit, func(o *office) error { return o.in(ctx, publishSQL) }},
		} {
			o, err := b.newOffice(ctx)
			if err != nil {
				return err
			}
			if _, err := o.psqlImport(ctx, file); err != nil {
				return err
			}
			if err := o.in(ctx, examSQL+"analyze exam_result, exam_paper, student, enrolment, student_guardian, guardian, app_user;"); err != nil {
				return err
			}
			// Both meet a connection that has seen the school.
			if err := o.call("/school-admin/exam/list", "application/json", []byte(`{"data":{}}`)); err != nil {
				return err
			}
			began := time.Now()
			if err := by.run(o); err != nil {
				return err
			}
			*by.into = append(*by.into, time.Since(began))
		}
	}
	b.report.add(line{
		what: fmt.Sprintf("publishing %d students' results: the same rows by SQL", examinedStudents), ours: millis(median(ours)),
		limit: millis(median(limit)),
		ratio: median(limit).Seconds() / median(ours).Seconds(), target: atLeast(publishTarget),
	})
	return nil
}

// in runs SQL in the office's school as the owner.
func (o *office) in(ctx context.Context, sql string) error {
	return o.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+", extensions;"+sql+"; set search_path = ''")
}
