-- The leanest statements that give the answers of the twelve calls people make most: what the peer asks, and what pgbench
-- runs by itself. {s} stands for the school's schema, :name for a value. A line "-- call name" begins a call; its statements
-- end with a semicolon.

-- call students
with page as (
  select * from {s}student where deleted_at is null order by first_name, id limit 20 offset :offset)
select e.academic_year_id as "academicYearId", k.id as "classId", coalesce(k.name, '') as "className", e.division_id as "divisionId",
  coalesce(d.name, '') as "divisionName", e.roll_number as "rollNumber", p.id, p.admission_number as "admissionNumber",
  p.first_name as "firstName", p.last_name as "lastName", p.gender, p.date_of_birth as "dateOfBirth", p.phone,
  p.photo_file_id as "photoFileId", p.admission_date as "admissionDate", p.status, p.created_at as "createdAt", p.version, p.custom_fields as "customFields",
  coalesce((select trim(g.first_name || ' ' || g.last_name) from {s}student_guardian sg join {s}guardian g on g.id = sg.guardian_id
    where sg.student_id = p.id and sg.is_primary), '') as "guardianName",
  (select count(*) from {s}student where deleted_at is null)::int as total
from page p
left join {s}enrolment e on e.student_id = p.id and e.start_date <= :today and (e.end_date is null or e.end_date >= :today)
left join {s}class k on k.id = coalesce(e.class_id, case when p.status = 'ACTIVE' then p.class_id end)
left join {s}division d on d.id = e.division_id
order by p.first_name, p.id;

-- call class
with found as (
  select s.*, e.academic_year_id, e.class_id as sits_in, e.division_id, e.roll_number
  from {s}enrolment e join {s}student s on s.id = e.student_id
  where e.class_id = :class and e.start_date <= :today and (e.end_date is null or e.end_date >= :today) and s.deleted_at is null
  union all
  select s.*, null, s.class_id, null, null from {s}student s where s.class_id = :class and s.status = 'ACTIVE' and s.deleted_at is null
    and not exists (select from {s}enrolment e where e.student_id = s.id and e.start_date <= :today
      and (e.end_date is null or e.end_date >= :today))),
page as (select f.*, count(*) over ()::int as total from found f order by first_name, id limit 20)
select p.academic_year_id as "academicYearId", k.id as "classId", k.name as "className", p.division_id as "divisionId",
  coalesce(d.name, '') as "divisionName", p.roll_number as "rollNumber", p.id, p.admission_number as "admissionNumber",
  p.first_name as "firstName", p.last_name as "lastName", p.gender, p.date_of_birth as "dateOfBirth", p.phone,
  p.photo_file_id as "photoFileId", p.admission_date as "admissionDate", p.status, p.created_at as "createdAt", p.version, p.custom_fields as "customFields",
  coalesce((select trim(g.first_name || ' ' || g.last_name) from {s}student_guardian sg join {s}guardian g on g.id = sg.guardian_id
    where sg.student_id = p.id and sg.is_primary), '') as "guardianName", p.total
from page p join {s}class k on k.id = p.sits_in left join {s}division d on d.id = p.division_id order by p.first_name, p.id;

-- call search
with page as (
  select s.*, count(*) over ()::int as total from {s}student s where deleted_at is null and search_text like :pattern
  order by first_name, id limit 20)
select e.academic_year_id as "academicYearId", k.id as "classId", coalesce(k.name, '') as "className", e.division_id as "divisionId",
  coalesce(d.name, '') as "divisionName", e.roll_number as "rollNumber", p.id, p.admission_number as "admissionNumber",
  p.first_name as "firstName", p.last_name as "lastName", p.gender, p.date_of_birth as "dateOfBirth", p.phone,
  p.photo_file_id as "photoFileId", p.admission_date as "admissionDate", p.status, p.created_at as "createdAt", p.version, p.custom_fields as "customFields",
  coalesce((select trim(g.first_name || ' ' || g.last_name) from {s}student_guardian sg join {s}guardian g on g.id = sg.guardian_id
    where sg.student_id = p.id and sg.is_primary), '') as "guardianName", p.total
from page p
left join {s}enrolment e on e.student_id = p.id and e.start_date <= :today and (e.end_date is null or e.end_date >= :today)
left join {s}class k on k.id = coalesce(e.class_id, case when p.status = 'ACTIVE' then p.class_id end)
left join {s}division d on d.id = e.division_id
order by p.first_name, p.id;

-- call student
select s.id, s.created_at as "createdAt", s.updated_at as "updatedAt", s.version, s.first_name as "firstName", s.last_name as "lastName",
  s.admission_number as "admissionNumber", s.class_id as "classId", s.gender, s.date_of_birth as "dateOfBirth",
  s.blood_group as "bloodGroup", s.address, s.phone, s.email, s.photo_file_id as "photoFileId", s.admission_date as "admissionDate",
  s.previous_school as "previousSchool", s.medical_notes as "medicalNotes", s.allergies,
  s.emergency_contact_name as "emergencyContactName", s.emergency_contact_phone as "emergencyContactPhone",
  s.custom_fields as "customFields", s.status, s.leaving_date as "leavingDate", s.leaving_reason as "leavingReason",
  s.leaving_status as "leavingStatus", k.name as "className"
from {s}student s left join {s}class k on k.id = s.class_id and s.status = 'ACTIVE' where s.id = :student and s.deleted_at is null;
select g.id, g.user_id as "userId", g.first_name as "firstName", g.last_name as "lastName", g.phone, g.email, g.occupation, sg.relation,
  sg.is_primary as "isPrimary", sg.has_custody as "hasCustody", sg.can_view_data as "canViewData", sg.can_pick_up as "canPickUp",
  sg.is_fee_payer as "isFeePayer", g.custom_fields as "customFields"
from {s}student_guardian sg join {s}guardian g on g.id = sg.guardian_id where sg.student_id = :student
order by sg.is_primary desc, sg.created_at, g.id;
select e.id, e.academic_year_id as "academicYearId", y.name as "academicYearName", e.class_id as "classId", k.name as "className",
  e.division_id as "divisionId", d.name as "divisionName", e.roll_number as "rollNumber", e.start_date as "startDate",
  e.end_date as "endDate", e.outcome
from {s}enrolment e join {s}academic_year y on y.id = e.academic_year_id join {s}class k on k.id = e.class_id
join {s}division d on d.id = e.division_id where e.student_id = :student order by e.start_date;

-- call register
select d.id as "divisionId", d.name as "divisionName", d.class_id as "classId", k.name as "className", t.attendance_by as "attendanceBy",
  coalesce((select h.name from {s}holiday h where :date between h.start_date and h.end_date and h.all_classes limit 1), '') as "dayOff"
from {s}division d join {s}class k on k.id = d.class_id cross join {s}school_setting t where d.id = :division;
select s.id as "studentId", e.roll_number as "rollNumber", s.admission_number as "admissionNumber", s.first_name as "firstName",
  s.last_name as "lastName", '' as division, a.status, a.late_minutes as "lateMinutes", coalesce(a.half_day, false) as "halfDay",
  coalesce(a.remark, '') as remark, coalesce(a.source, '') as source, a.leave_id as "leaveId", a.marked_by as "markedBy",
  a.marked_at as "markedAt", coalesce(a.version, 0) as version
from {s}enrolment e join {s}student s on s.id = e.student_id left join {s}attendance a on a.student_id = s.id and a.date = :date
where e.division_id = :division and e.start_date <= :date and (e.end_date is null or e.end_date >= :date)
  and (s.deleted_at is null or :date < :today)
order by e.roll_number nulls last, s.first_name, s.last_name, s.id;

-- call mark
with made as (
  insert into {s}attendance as a (id, student_id, division_id, date, status, remark, source, reason, marked_by, marked_at)
  select gen_random_uuid(), u.id, :division, :date, u.status, '', 'ADMIN', :reason, :user, now()
  from unnest(:students, :statuses) as u (id, status)
  join {s}enrolment e on e.student_id = u.id and e.division_id = :division and e.start_date <= :date
    and (e.end_date is null or e.end_date >= :date)
  order by 2
  on conflict (student_id, date) do update set division_id = excluded.division_id, status = excluded.status, remark = excluded.remark,
    source = excluded.source, reason = excluded.reason, marked_by = excluded.marked_by, marked_at = excluded.marked_at,
    version = a.version + 1
  returning student_id, status),
booked as (
  insert into {s}audit_event (id, actor_id, actor_role, action, entity, entity_id, after, occurred_at)
  values (gen_random_uuid(), :user, 'SCHOOL_ADMIN', 'mark', 'attendance', :division::text,
    jsonb_build_object('reason', :reason, 'date', :date, 'present', to_jsonb(:students)), now()))
select student_id as "studentId", status from made;

-- call children
select e.academic_year_id as "academicYearId", k.id as "classId", coalesce(k.name, '') as "className", e.division_id as "divisionId",
  coalesce(d.name, '') as "divisionName", e.roll_number as "rollNumber", p.id, p.admission_number as "admissionNumber",
  p.first_name as "firstName", p.last_name as "lastName", p.gender, p.date_of_birth as "dateOfBirth", p.phone,
  p.photo_file_id as "photoFileId", p.admission_date as "admissionDate", p.status, p.created_at as "createdAt", p.version
from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
join {s}student p on p.id = sg.student_id and p.deleted_at is null
left join {s}enrolment e on e.student_id = p.id and e.start_date <= :today and (e.end_date is null or e.end_date >= :today)
left join {s}class k on k.id = coalesce(e.class_id, case when p.status = 'ACTIVE' then p.class_id end)
left join {s}division d on d.id = e.division_id
where g.user_id = :user order by p.first_name, p.id;

-- call buses
select s.id as "studentId", s.first_name as "firstName", s.last_name as "lastName", r.id as "routeId", r.name as "routeName", r.direction,
  b.id as "busId", b.bus_number as "busNumber", p.id as "stopId", p.name as "stopName", p.lat, p.lng,
  coalesce(left(p.planned_time::text, 5), '') as "plannedTime", case when p.time_changed_on > :today - 7
    and p.previous_time <> p.planned_time then left(p.previous_time::text, 5) else '' end as "previousTime", n.id is not null as "notRiding", t.id as "tripId",
  t.status as "tripStatus", t.scheduled_start_at as "scheduledStartAt", o.status as boarding
from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
join {s}student s on s.id = sg.student_id and s.deleted_at is null
join {s}ride y on y.student_id = s.id and y.start_date <= :today and (y.end_date is null or y.end_date >= :today)
join {s}route r on r.id = y.route_id join {s}stop p on p.id = y.stop_id
left join lateral (select t.* from {s}trip t where t.route_id = r.id and t.status <> 'cancelled'
  and (t.trip_date = :today or t.status in ('in_progress', 'paused'))
  order by t.status in ('in_progress', 'paused') desc, t.status = 'scheduled' desc, t.scheduled_start_at limit 1) t on true
join {s}bus b on b.id = coalesce(t.bus_id, r.bus_id)
left join {s}boarding o on o.trip_id = t.id and o.student_id = s.id
left join {s}not_riding n on n.student_id = s.id and n.date = :today and n.trip_type = r.direction
where g.user_id = :user order by s.first_name, s.id, r.direction desc;
select n.student_id as "studentId", n.date, n.trip_type as "tripType" from {s}guardian g
join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
join {s}not_riding n on n.student_id = sg.student_id and n.date >= :today
where g.user_id = :user order by n.date, n.student_id, n.trip_type desc;

-- call family
select s.id, s.admission_number as "admissionNumber", s.first_name as "firstName", s.last_name as "lastName", s.status,
  coalesce(k.name, '') as "className", coalesce(d.name, '') as "divisionName",
  coalesce((select sum(case x.entry_type when 'DR' then x.amount else -x.amount end) from {s}ledger_entry x
    where x.account_id = s.id), 0)::bigint as balance
from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
join {s}student s on s.id = sg.student_id and s.deleted_at is null
left join {s}enrolment e on e.student_id = s.id and e.start_date <= :today and (e.end_date is null or e.end_date >= :today)
left join {s}class k on k.id = coalesce(e.class_id, s.class_id) left join {s}division d on d.id = e.division_id
where g.user_id = :user order by s.first_name, s.id;
with own as (
  select x.account_id, x.invoice_id, sum(case x.entry_type when 'DR' then x.amount else -x.amount end)::bigint as net,
    coalesce(sum(x.amount) filter (where x.entry_type = 'DR'), 0)::bigint as charged
  from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
  join {s}student s on s.id = sg.student_id and s.deleted_at is null join {s}ledger_entry x on x.account_id = s.id
  where g.user_id = :user group by x.account_id, x.invoice_id),
item as (
  select i.*, o.net, o.charged,
    coalesce(-m.net, 0) - (sum(o.net) over (partition by i.student_id order by i.due_date, i.id) - o.net) as rest
  from own o join {s}fee_invoice i on i.id = o.invoice_id left join own m on m.account_id = o.account_id and m.invoice_id is null),
paid as (select *, greatest(0, least(net, rest))::bigint as paid from item)
select student_id as "studentId", id, number, name, instalment, due_date as "dueDate", lines, charged, charged - net as concession, paid,
  net - paid as open, case when due_date < :today then 'OVERDUE' when paid > 0 then 'PARTIAL' else 'UNPAID' end as state
from paid where net > paid order by student_id, due_date, id;

-- call month
select day::date as date, a.status, coalesce(h.name, '') as "dayOff", a.late_minutes as "lateMinutes",
  coalesce(a.half_day, false) as "halfDay", coalesce(a.remark, '') as remark, a.marked_at as "markedAt"
from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data and sg.student_id = :student
join {s}enrolment e on e.student_id = sg.student_id
cross join generate_series(greatest(:first, e.start_date), least(:last, e.end_date), '1 day') day
left join {s}attendance a on a.student_id = e.student_id and a.date = day::date
left join {s}holiday h on h.start_date <= :last and h.end_date >= :first and day between h.start_date and h.end_date and h.all_classes
where g.user_id = :user order by day;
select r.date, r.period_name as "periodName", left(r.start_time::text, 5) as "startTime", r.subject_name as "subjectName", m.status,
  m.late_minutes as "lateMinutes"
from {s}lesson_mark m join {s}lesson_register r on r.id = m.register_id
where m.student_id = :student and r.date between :first and :last order by r.date, r.start_time, r.id;

-- call notifications
select count(*)::int as total, (count(*) filter (where n.read_at is null))::int as unread
from {s}notification n where n.user_id = :user and (n.student_id is null or n.student_id in (
  select sg.student_id from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
  join {s}student s on s.id = sg.student_id and s.deleted_at is null where g.user_id = :user));
select n.id, n.title, n.body, n.type, n.record_id as "recordId", n.student_id as "studentId", n.read_at as "readAt",
  n.created_at as "createdAt"
from {s}notification n where n.user_id = :user and (n.student_id is null or n.student_id in (
  select sg.student_id from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
  join {s}student s on s.id = sg.student_id and s.deleted_at is null where g.user_id = :user))
order by n.created_at desc, n.id desc limit 20;

-- call timetable
with seat as (
  select e.division_id from {s}guardian g join {s}student_guardian sg on sg.guardian_id = g.id and sg.can_view_data
  join {s}enrolment e on e.student_id = sg.student_id and e.start_date <= :today and (e.end_date is null or e.end_date >= :today)
  where g.user_id = :user and sg.student_id = :student),
held as (
  select s.* from seat join {s}timetable_slot s on s.division_id = seat.division_id
  union all
  select s.* from seat join {s}student_group_division y on y.division_id = seat.division_id
  join {s}student_group_member m on m.group_id = y.group_id and m.student_id = :student and m.from_date <= :today
    and (m.to_date is null or m.to_date >= :today)
  join {s}timetable_slot s on s.group_id = y.group_id)
select s.id, s.division_id as "divisionId", s.group_id as "groupId", coalesce(k.name, (
    select string_agg(distinct gk.name, ', ') from {s}student_group_division y join {s}division gd on gd.id = y.division_id
    join {s}class gk on gk.id = gd.class_id where y.group_id = s.group_id)) as "className", coalesce(d.name, '') as "divisionName",
  coalesce(g.name, '') as "groupName", s.day_of_week as "dayOfWeek", s.period_id as "periodId", p.name as "periodName",
  left(p.start_time::text, 5) as "startTime", left(p.end_time::text, 5) as "endTime", j.id as "subjectId", j.name as "subjectName",
  s.teacher_id as "teacherId", coalesce(trim(t.first_name || ' ' || t.last_name), '') as "teacherName", s.room,
  x.id as "substitutionId", x.substitute_teacher_id as "substituteTeacherId",
  coalesce(trim(z.first_name || ' ' || z.last_name), '') as "substituteTeacherName", coalesce(x.note, '') as note
from held s left join {s}division d on d.id = s.division_id left join {s}class k on k.id = d.class_id
left join {s}student_group g on g.id = s.group_id join {s}period p on p.id = s.period_id
join {s}subject j on j.id = coalesce(g.subject_id, s.subject_id) left join {s}employee t on t.id = s.teacher_id
left join {s}substitution x on x.slot_id = s.id and x.date = :today left join {s}employee z on z.id = x.substitute_teacher_id
order by s.day_of_week, p.start_time, k.level, k.name, d.name, g.name, s.id;

-- call dues
with sums as (
  select account_id, sum(s) filter (where due_date < :today - 90) as a4,
    sum(s) filter (where due_date between :today - 90 and :today - 61) as a3,
    sum(s) filter (where due_date between :today - 60 and :today - 31) as a2,
    sum(s) filter (where due_date between :today - 30 and :today) as a1, -sum(s) filter (where due_date is null) as paid, sum(s) as total
  from (select account_id, due_date, case entry_type when 'DR' then amount else -amount end as s from {s}ledger_entry) e
  group by account_id having sum(s) > 0),
oldest as (
  select account_id, total, coalesce(a4, 0) as c4, coalesce(a4, 0) + coalesce(a3, 0) as c3,
    coalesce(a4, 0) + coalesce(a3, 0) + coalesce(a2, 0) as c2,
    coalesce(a4, 0) + coalesce(a3, 0) + coalesce(a2, 0) + coalesce(a1, 0) as c1, greatest(coalesce(paid, 0), 0) as paid
  from sums),
owing as materialized (
  select s.id, s.admission_number, s.first_name, s.last_name, k.id as class_id, k.name as class_name, k.level, o.total::bigint,
    coalesce(w.amount, 0)::bigint as clearing, greatest(0, c4 - paid)::bigint as d4,
    (greatest(0, c3 - paid) - greatest(0, c4 - paid))::bigint as d3, (greatest(0, c2 - paid) - greatest(0, c3 - paid))::bigint as d2,
    (greatest(0, c1 - paid) - greatest(0, c2 - paid))::bigint as d1, (o.total - greatest(0, c1 - paid))::bigint as d0
  from oldest o join {s}student s on s.id = o.account_id
  left join (select f.student_id, sum(f.amount) as amount from {s}fee_receipt f where f.in_clearing
    and not exists (select from {s}ledger_transaction t where t.reverses_id = f.transaction_id)
    and not exists (select from {s}ledger_transaction t where t.idempotency_key = 'clearing ' || f.transaction_id)
    group by f.student_id) w on w.student_id = s.id
  left join {s}enrolment e on e.student_id = s.id and e.start_date <= :today and (e.end_date is null or e.end_date >= :today)
  left join {s}class k on k.id = coalesce(e.class_id, s.class_id))
(select null as "studentId", '' as "admissionNumber", '' as "studentName", class_id as "classId", coalesce(class_name, '') as "className",
  count(*)::int as students, sum(clearing)::bigint as "inClearing", sum(total)::bigint as total, sum(d0)::bigint as "notDue",
  sum(d1)::bigint as "days0To30", sum(d2)::bigint as "days31To60", sum(d3)::bigint as "days61To90", sum(d4)::bigint as "daysOver90"
  from owing group by class_id, class_name, level order by level nulls last, class_name, class_id)
union all
(select id, admission_number, trim(first_name || ' ' || last_name), class_id, coalesce(class_name, ''), 1, clearing, total, d0, d1, d2,
  d3, d4
  from owing order by total desc, id limit 20);

-- call payment
select a.id, set_config('search_path', :schema, true) from {s}ledger_account a where a.id = :student for no key update;
with number as (
  insert into {s}number_series as n (name, next) select 'fee receipt ' || id, 2 from {s}academic_year where active
  on conflict (name) do update set next = n.next + 1 returning n.next - 1 as number),
own as (
  select invoice_id, sum(case entry_type when 'DR' then amount else -amount end)::bigint as net from {s}ledger_entry
  where account_id = :student group by invoice_id),
item as (
  select i.id, i.number, i.name, i.due_date, o.net, coalesce(-(select net from own where invoice_id is null), 0)
    - (sum(o.net) over (order by i.due_date, i.id) - o.net) as rest
  from own o join {s}fee_invoice i on i.id = o.invoice_id),
dues as (
  select *, net - greatest(0, least(net, rest))::bigint as open from item),
share as (
  select *, greatest(0, least(open, :amount - (sum(open) over (order by due_date, id) - open)))::bigint as settled from dues),
settled as (
  select coalesce(jsonb_agg(jsonb_build_object('invoiceId', id, 'number', number, 'name', name, 'amount', settled) order by due_date, id)
    filter (where settled > 0), '[]') as list, :amount - coalesce(sum(settled), 0)::bigint as advance from share),
posted as (
  insert into {s}ledger_transaction (id, kind, value_date, narration, idempotency_key, created_by, created_at)
  values (:transaction, 'PAYMENT', :today, 'Payment by cash', 'payment ' || :receipt, :user, now()) returning id),
entries as (
  insert into {s}ledger_entry (transaction_id, line, account_id, entry_type, amount)
  select id, 1, '00000000-0000-4000-8000-000000000001', 'DR', :amount from posted
  union all select id, 2, :student, 'CR', :amount from posted),
written as (
  insert into {s}fee_receipt (id, academic_year_id, number, receipt_number, student_id, transaction_id, amount, payment_mode, received_on,
    received_at, received_by, allocations)
  select :receipt, y.id, n.number, y.name || '/R-' || lpad(n.number::text, 6, '0'), :student, p.id, :amount, 'CASH', :today, now(), :user,
    t.list from number n, posted p, settled t, {s}academic_year y where y.active
  returning id, number, receipt_number, transaction_id, amount, received_on, received_at, allocations),
answer as (
  select w.id, w.receipt_number as "receiptNumber", w.number, :student as "studentId", w.transaction_id as "transactionId", w.amount,
    'CASH' as "paymentMode", '' as "referenceNumber", false as "inClearing", w.received_on as "receivedOn", w.received_at as "receivedAt",
    w.allocations, t.advance, (select sum(net) from own)::bigint - :amount as balance
  from written w, settled t),
booked as (
  insert into {s}audit_event (id, actor_id, actor_role, action, entity, entity_id, after, occurred_at)
  select gen_random_uuid(), :user, 'SCHOOL_ADMIN', 'create', 'fee receipt', a.id::text, to_jsonb(a), now() from answer a),
told as (
  insert into {s}notice (id, type, key, record_id, student_id, title, body, teaser, due_at, told_at, created_at)
  select gen_random_uuid(), 'FEE', 'fee payment ' || a.id, a.id, s.id, 'Payment received',
    'INR 1.00 was received for ' || s.first_name || ' ' || s.last_name || '. Receipt ' || a."receiptNumber" || '. Outstanding: INR '
    || a.balance / 100 || '.', 'A fee payment was received', now(), now(), now() from answer a join {s}student s on s.id = :student),
kept as (
  insert into {s}idempotency (actor_id, key, row_name, body_hash, status, answer)
  select :user, :key, 'POST /school-admin/fee/collection/record', 'x', 201, to_json(a)::text from answer a)
select * from answer;

-- call dashboard
select d.id as "divisionId", d.name as "divisionName", k.id as "classId", k.name as "className", n.students, n.present, n.absent, n.late,
  n.leave, n.without, not exists (select from {s}holiday h where h.start_date <= :today and h.end_date >= :today and h.all_classes) as open
from (select e.division_id, count(*)::int as students, (count(*) filter (where a.status = 'PRESENT'))::int as present,
    (count(*) filter (where a.status = 'ABSENT'))::int as absent, (count(*) filter (where a.status = 'LATE'))::int as late,
    (count(*) filter (where a.status = 'LEAVE'))::int as leave, (count(*) filter (where a.id is null))::int as without
  from {s}enrolment e join {s}student s on s.id = e.student_id and s.deleted_at is null
  left join {s}attendance a on a.student_id = s.id and a.date = :today
  where e.start_date <= :today and (e.end_date is null or e.end_date >= :today) group by e.division_id) n
join {s}division d on d.id = n.division_id join {s}class k on k.id = d.class_id order by k.level, k.name, k.id, d.name, d.id;
select (select count(*) from {s}student where deleted_at is null and status = 'ACTIVE')::int as students,
  (select count(*) from {s}employee where status = 'ACTIVE')::int as employees, l.students as "studentLeave",
  l.employees as "employeeLeave",
  b.issued, b.late
from (select count(student_id)::int as students, count(employee_id)::int as employees from {s}leave where status = 'PENDING') l,
  (select count(*)::int as issued, (count(*) filter (where due_on < :today))::int as late from {s}library_loan where closed_on is null) b;
select coalesce(sum(total), 0)::bigint as outstanding, coalesce(sum(least(total, greatest(0, due - paid))), 0)::bigint as overdue,
  count(*)::int as debtors
from (select account_id, sum(s) as total, coalesce(sum(s) filter (where due_date < :today), 0) as due,
    greatest(0, coalesce(-sum(s) filter (where due_date is null), 0)) as paid
  from (select account_id, due_date, case entry_type when 'DR' then amount else -amount end as s from {s}ledger_entry) e
  group by account_id having sum(s) > 0) o
join {s}ledger_account a on a.id = o.account_id and a.type = 'STUDENT';
select ((select coalesce(sum(amount), 0) from {s}fee_receipt where received_on between date_trunc('month', :today)::date and :today)
  - (select coalesce(sum(r.amount), 0) from {s}ledger_transaction t join {s}fee_receipt r on r.transaction_id = t.reverses_id
    where t.kind = 'REVERSAL' and t.value_date between date_trunc('month', :today)::date and :today))::bigint as collected;
select day::date as date, coalesce(m.present, 0)::int as present, coalesce(m.marked, 0)::int as marked,
  (coalesce(p.amount, 0) - coalesce(v.amount, 0))::bigint as collected
from generate_series(:today - 29, :today, interval '1 day') day
left join (select a.date, count(*) filter (where a.status in ('PRESENT', 'LATE')) as present, count(*) as marked
  from {s}division d join {s}attendance a on a.division_id = d.id and a.date between :today - 29 and :today group by a.date) m
  on m.date = day::date
left join (select received_on, sum(amount) as amount from {s}fee_receipt where received_on between :today - 29 and :today
  group by received_on) p on p.received_on = day::date
left join (select t.value_date, sum(r.amount) as amount from {s}ledger_transaction t
  join {s}fee_receipt r on r.transaction_id = t.reverses_id
  where t.kind = 'REVERSAL' and t.value_date between :today - 29 and :today group by t.value_date) v on v.value_date = day::date
order by day;
select id, title, event_date as "eventDate", left(start_time::text, 5) as "startTime", venue from {s}event
where cancelled_at is null and event_date > :today and event_date <= :today + 30
order by event_date, start_time nulls first, id limit 5;
