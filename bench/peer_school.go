package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/tokens"
)

const (
	// peerSchool is the number before the first school of the peer's part.
	peerSchool = 3_000_000
	// peerStudents are those of a school, peerDivision those of one of its divisions.
	peerStudents, peerDivision = 1000, 40
	// peerParents have two children each: the first students.
	peerParents = 100
)

// peerSQL fills the school of number %[1]d with %[2]d students in divisions of %[3]d, of whom the first have %[4]d parents, a bus
// and notifications; %[5]s is today. Ids follow from the number, so that pgbench can make them up.
const peerSQL = `
insert into academic_year (id, name, start_date, end_date, active) values (md5('%[1]d year')::uuid, 'now', '1970-01-01',
	current_date + 100, true);
insert into class (id, name, level) select md5('%[1]d class ' || c)::uuid, 'Class ' || c, c from generate_series(1, 5) c;
insert into division (id, class_id, name)
	select md5('%[1]d division ' || d)::uuid, md5('%[1]d class ' || (d - 1) / 5 + 1)::uuid, chr(65 + (d - 1) %% 5)
	from generate_series(1, %[2]d / %[3]d) d;
insert into student (id, admission_number, first_name, last_name, gender, date_of_birth, phone, class_id, admission_date)
	select md5('%[1]d student ' || i)::uuid, 'A-' || i, 'Child' || i, 'Rao', 'FEMALE', date '2015-01-01' + i, '+9198' || lpad(i::text, 8,
	'0'),
	md5('%[1]d class ' || (i - 1) / %[3]d / 5 + 1)::uuid, current_date - 90 from generate_series(1, %[2]d) i;
insert into enrolment (id, student_id, academic_year_id, class_id, division_id, roll_number, start_date)
	select md5('%[1]d enrolment ' || i)::uuid, md5('%[1]d student ' || i)::uuid, md5('%[1]d year')::uuid,
	md5('%[1]d class ' || (i - 1) / %[3]d / 5 + 1)::uuid, md5('%[1]d division ' || (i - 1) / %[3]d + 1)::uuid, (i - 1) %% %[3]d + 1,
	'1970-01-01'
	from generate_series(1, %[2]d) i;
insert into attendance (id, student_id, division_id, date, status, source, marked_by, marked_at)
	select gen_random_uuid(), e.student_id, e.division_id, date '%[5]s' - d,
	case when (d + e.roll_number) %% 13 = 0 then 'ABSENT' else 'PRESENT' end,
	'TEACHER', e.student_id, now() from enrolment e, generate_series(1, 31) d;

insert into app_user (id, role_id, first_name, phone)
	select md5('%[1]d parent ' || p)::uuid, r.id, 'Meera', '+9197' || lpad((%[1]d %% 100000 * 1000 + p)::text, 8, '0')
	from role r, generate_series(1, %[4]d) p where r.type = 'PARENT' and r.system;
insert into guardian (id, user_id, first_name, phone) select u.id, u.id, 'Meera', u.phone
	from app_user u join role r on r.id = u.role_id where r.type = 'PARENT';
insert into student_guardian (id, student_id, guardian_id, relation, is_primary)
	select md5('%[1]d link ' || i)::uuid, md5('%[1]d student ' || i)::uuid, md5('%[1]d parent ' || (i + 1) / 2)::uuid, 'MOTHER', true
	from generate_series(1, 2 * %[4]d) i;
insert into notification (id, user_id, dedupe_key, type, title, body, student_id, read_at, created_at)
	select md5('%[1]d notification ' || i || ' ' || n)::uuid, md5('%[1]d parent ' || (i + 1) / 2)::uuid, 'bench ' || i || ' ' || n, 'FEE',
	'Payment received',
	'INR 1.00 was received for Child Rao. Receipt now/R-000001. Outstanding: INR 100.00.', md5('%[1]d student ' || i)::uuid,
	case when n > 3 then now() end, now() - n * interval '1 hour' from generate_series(1, 2 * %[4]d) i, generate_series(1, 20) n;

insert into employee (id, employee_code, first_name, last_name, phone, employee_type)
	select md5('%[1]d teacher ' || d)::uuid, 'T' || d, 'Ravi', 'Iyer', '', 'TEACHER' from generate_series(1, 25) d;
insert into subject (id, name, code) select md5('%[1]d subject ' || j)::uuid, 'Subject ' || j, 'S' || j from generate_series(1, 6) j;
insert into period (id, name, start_time, end_time)
	select md5('%[1]d period ' || p)::uuid, 'Period ' || p, time '08:00' + p * interval '1 hour', time '08:45' + p * interval '1 hour'
	from generate_series(1, 6) p;
insert into timetable_slot (id, division_id, day_of_week, period_id, subject_id, teacher_id, room)
	select md5('%[1]d slot ' || d || ' ' || w || ' ' || p)::uuid, md5('%[1]d division ' || d)::uuid, w, md5('%[1]d period ' || p)::uuid,
	md5('%[1]d subject ' || p)::uuid, md5('%[1]d teacher ' || d)::uuid, 'Room ' || d
	from generate_series(1, 25) d, generate_series(1, 7) w, generate_series(1, 6) p;

insert into employee (id, employee_code, first_name, phone, employee_type) values (md5('%[1]d driver')::uuid, 'D1', 'Bala', '', 'DRIVER');
insert into bus (id, bus_number, driver_id) values (md5('%[1]d bus')::uuid, '1', md5('%[1]d driver')::uuid);
insert into route (id, name, bus_id, direction) values (md5('%[1]d route')::uuid, 'Hill Road', md5('%[1]d bus')::uuid, 'pickup');
insert into stop (id, route_id, name, sequence, lat, lng, planned_time)
	select md5('%[1]d stop ' || n)::uuid, md5('%[1]d route')::uuid, 'Stop ' || n, n, 12.9 + n * 0.02, 77.5,
	time '07:00' + n * interval '1 minute'
	from generate_series(1, 10) n;
insert into ride (id, student_id, route_id, stop_id, direction, start_date)
	select gen_random_uuid(), md5('%[1]d student ' || i)::uuid, md5('%[1]d route')::uuid, md5('%[1]d stop ' || 2 + i %% 8)::uuid,
	'pickup', '1970-01-01'
	from generate_series(1, 2 * %[4]d) i;
insert into trip (id, route_id, bus_id, driver_id, trip_type, trip_date, scheduled_start_at, status, started_at)
	values (md5('%[1]d trip')::uuid, md5('%[1]d route')::uuid, md5('%[1]d bus')::uuid, md5('%[1]d driver')::uuid, 'pickup', '%[5]s',
	now() - interval '2 minutes', 'in_progress', now());
insert into boarding (id, trip_id, student_id, stop_id, status, preset, updated_at)
	select gen_random_uuid(), md5('%[1]d trip')::uuid, r.student_id, r.stop_id, 'waiting', 'waiting', now() from ride r;

insert into fee_head (id, name, code, type) values (md5('%[1]d tuition')::uuid, 'Tuition', 'TUI', 'TUITION'), (md5('%[1]d exam')::uuid,
	'Exams', 'EXA', 'EXAM');
insert into ledger_account (id, code, name, type)
	values (md5('%[1]d tuition')::uuid, 'HEAD 1', 'Tuition', 'INCOME'), (md5('%[1]d exam')::uuid, 'HEAD 2', 'Exams', 'INCOME');
insert into fee_structure (id, academic_year_id, class_id, name)
	select md5('%[1]d structure ' || c)::uuid, md5('%[1]d year')::uuid, md5('%[1]d class ' || c)::uuid,
	'Class ' || c from generate_series(1, 5) c;
insert into fee_structure_head (structure_id, fee_head_id, position, amount)
	select md5('%[1]d structure ' || c)::uuid, md5('%[1]d ' || h)::uuid, n, 2000000 from generate_series(1, 5) c, unnest(array['tuition',
	'exam'])
	with ordinality x (h, n);
insert into fee_instalment (structure_id, number, name, due_date, percent)
	select md5('%[1]d structure ' || c)::uuid, t, 'Term ' || t, date '%[5]s' - 100 + t * 80, 50 from generate_series(1, 5) c,
	generate_series(1, 2) t;
update school_setting set policy_version = policy_version + 1`

// peerDirectory lets the parents of a school in.
const peerDirectory = `
insert into platform.account (id, school_id, user_id, role_type, phone)
	select md5('%[1]d parent ' || p)::uuid, '%[2]s', md5('%[1]d parent ' || p)::uuid, 'PARENT',
	'+9197' || lpad((%[1]d %% 100000 * 1000 + p)::text, 8, '0')
	from generate_series(1, %[3]d) p on conflict do nothing;
insert into platform.session (id, account_id, token_hash, expires_at)
	select id, id, '', now() + interval '30 days' from platform.account where school_id = '%[2]s' and role_type = 'PARENT' on conflict do
	nothing`

// newPeerSchool makes or finds the nth school of the peer's part.
func (b *bench) newPeerSchool(ctx context.Context, f *fleet, nth int) (*office, error) {
	o := &office{fleet: f, number: peerSchool + nth}
	there := f.made[o.number]
	if !there {
		if err := f.add(ctx, o.number, 0); err != nil {
			return nil, err
		}
	}
	tokens, err := f.signIn(ctx, o.number)
	if err != nil {
		return nil, err
	}
	if o.token = tokens[o.number]; there {
		return o, nil
	}
	err = errors.Join(
		o.exec(ctx, fmt.Sprintf("update platform.school set weekend_days = '{}' where id = '%s'", schoolID(o.number))),
		o.within(ctx, fmt.Sprintf(peerSQL, o.number, peerStudents, peerDivision, peerParents, peerToday())),
		o.exec(ctx, fmt.Sprintf(peerDirectory, o.number, schoolID(o.number), peerParents)))
	for class := 1; class <= 5 && err == nil; class++ {
		for term := 1; term <= 2 && err == nil; term++ {
			err = o.ask("POST", "/school-admin/fee/charge", fmt.Sprintf(`{"data":{"structureId":%q,"instalment":%d,"classId":%q}}`,
				o.id("structure %d", class), term, o.id("class %d", class)))
		}
	}
	if err != nil {
		return nil, err
	}
	f.made[o.number] = true
	return o, o.exec(ctx, "set search_path = "+schemaName(o.number)+"; analyze; set search_path = ''")
}

// id is one that peerSQL gives.
func (o *office) id(format string, args ...any) uuid.UUID {
	return md5ID(fmt.Sprintf("%d ", o.number) + fmt.Sprintf(format, args...))
}

// parent is the access token of the nth parent.
func (o *office) parent(n int) (string, error) {
	id := o.id("parent %d", n)
	return o.service.Tokens.SignAccess(tokens.Access{UserID: id, SessionID: id, SchoolID: schoolID(o.number), Role: api.Parent})
}

// peerToday is the schools' day.
func peerToday() api.Date {
	place, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		place = time.UTC
	}
	return api.DateOf(time.Now().In(place))
}
