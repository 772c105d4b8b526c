package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"homeroom/api"
)

const (
	markedStudents   = 40
	registerStudents = 60
	markTarget       = 0.5
	registerTarget   = 0.5
	// markers work at once, each at a school of their own: a school may use a few
	// connections and no more, however many of its teachers mark.
	markers = 8
	// turnSeconds is how long each side works before it is the other's turn: a machine
	// that others share is as fast for both within such a while, and not within a minute.
	turnSeconds = 2
)

// registerSQL seats the students of class 5A, the first forty since longAgo and the
// others since the month began, and marks them on the days of the month before its last.
const registerSQL = `
update academic_year set start_date = '` + longAgo + `' where active;
insert into student (id, admission_number, first_name, last_name, admission_date)
	select md5('student' || n)::uuid, n, 'Child' || n, 'Rao', current_date - 100 from generate_series(1, %[2]d) n;
insert into enrolment (id, student_id, academic_year_id, class_id, division_id, roll_number, start_date)
	select gen_random_uuid(), md5('student' || n)::uuid, md5('now')::uuid, md5('5')::uuid, md5('Class 5A')::uuid, n, case
	when n <= %[3]d then '` + longAgo + `' else date_trunc('month', '%[1]s'::timestamp) end from generate_series(1, %[2]d) n;
insert into attendance (id, student_id, division_id, date, status, source, marked_by, marked_at)
	select gen_random_uuid(), md5('student' || n)::uuid, md5('Class 5A')::uuid, day, 'PRESENT', 'TEACHER', md5('5')::uuid, now()
	from generate_series(1, %[2]d) n, generate_series(date_trunc('month', '%[1]s'::timestamp),
	date_trunc('month', '%[1]s'::timestamp) + '1 month - 1 day', '1 day') day
	where extract(dow from day) between 1 and 5`

// longAgo leaves enough days for every call to mark one that nobody has marked.
const longAgo = "1970-01-01"

// markScript is the upsert of 40 marks. Every call has a day of its own, of a century
// that the service does not touch.
const markScript = `insert into attendance as a (id, student_id, division_id, date, status, remark, source, marked_by, marked_at)
	select gen_random_uuid(), md5('student' || n)::uuid, md5('Class 5A')::uuid, date '%s' + :d::int, 'PRESENT', '', 'ADMIN', md5('5')::uuid,
	now()
	from generate_series(1, %d) n order by 2
	on conflict (student_id, date) do update
	set division_id = excluded.division_id, status = excluded.status, late_minutes = excluded.late_minutes, remark = excluded.remark,
		source = excluded.source, leave_id = excluded.leave_id, reason = excluded.reason, marked_by = excluded.marked_by,
			marked_at = excluded.marked_at, version = excluded.version`

// monthScript is the month's register as the service reads it.
const monthScript = `select s.id, e.roll_number, s.admission_number, s.first_name, s.last_name,
		extract(day from greatest(e.start_date, '%[1]s'::date))::int2, extract(day from least(e.end_date, '%[2]s'::date))::int2, m.marks
	from enrolment e join student s on s.id = e.student_id
	cross join lateral (
		select coalesce(string_agg(chr(48 + extract(day from a.date)::int) || case a.status when 'LEAVE' then
		case when a.half_day then 'W' else 'V' end else left(a.status, 1) end, ''), '') as marks
		from attendance a where a.student_id = e.student_id and a.date between greatest(e.start_date, '%[1]s'::date)
		and least(e.end_date, '%[2]s'::date)) m
	where e.division_id = md5('Class 5A')::uuid and e.start_date <= '%[2]s'::date and (e.end_date is null or e.end_date >= '%[1]s'::date)
		and (s.deleted_at is null or e.start_date < current_date)
	order by e.roll_number nulls last, s.first_name, s.last_name, s.id, e.start_date`

// measureAttendance marks classes and reads their month, by the service and by pgbench.
func measureAttendance(ctx context.Context, b *bench) error {
	day := api.DateOf(time.Now().UTC().AddDate(0, 0, -1))
	first := day
	first.Day = 1
	last := api.DateOf(first.In(time.UTC).AddDate(0, 1, -1))
	offices := make(staff, markers)
	for i := range offices {
		o, err := b.newOffice(ctx)
		if err != nil {
			return err
		}
		// The school is open every day, so that every day can be marked.
		if err := o.exec(ctx, fmt.Sprintf("update platform.school set weekend_days = '{}' where id = '%s'", schoolID(o.number))); err != nil {
			return err
		}
		if err := o.within(ctx, fmt.Sprintf(registerSQL, day, registerStudents,
			markedStudents)+"; analyze attendance, enrolment, student, attendance_revision"); err != nil {
			return err
		}
		offices[i] = o
	}
	body, err := markBody()
	if err != nil {
		return err
	}
	var marks, limits, reads, queries []stride
	next := make([]int, markers) // days before the month that each worker has marked
	turns := max(1, b.rounds*b.seconds/turnSeconds)
	for round := range turns {
		century := fmt.Sprintf("%d-01-01", 2200+200*round)
		for _, o := range offices {
			if err := o.within(ctx, "analyze attendance"); err != nil { // which grows faster here than autovacuum looks
				return err
			}
		}
		for _, m := range []struct {
			into *[]stride
			run  func() (stride, error)
		}{
			{&limits, func() (stride, error) {
				return offices.scripted(ctx, turnSeconds, fmt.Sprintf(markScript, century, markedStudents))
			}},
			{&marks, func() (stride, error) {
				stop, err := b.profiled(fmt.Sprint("attendance-", round))
				if err != nil {
					return stride{}, err
				}
				defer stop()
				return offices.together(ctx, turnSeconds, func(w int) error {
					next[w]++
					return offices[w].ask("POST", "/school-admin/attendance/mark", strings.Replace(body, "DAY", first.AddDays(-next[w]).String(), 1))
				})
			}},
			{&queries, func() (stride, error) {
				return offices.scripted(ctx, turnSeconds, fmt.Sprintf(monthScript, first, last))
			}},
			{&reads, func() (stride, error) {
				return offices.together(ctx, turnSeconds, func(w int) error {
					return offices[w].ask("GET", fmt.Sprintf("/school-admin/attendance/report?divisionId=%s&month=%s", md5ID("Class 5A"),
						day.String()[:7]), "")
				})
			}},
		} {
			p, err := m.run()
			if err != nil {
				return err
			}
			*m.into = append(*m.into, p)
		}
	}
	add := func(what string, ours, limit []stride, t target) {
		paces, costs := make([]float64, turns), make([]float64, turns) // of each turn
		for i := range turns {
			paces[i], costs[i] = ours[i].rate/limit[i].rate, limit[i].cpu.Seconds()/ours[i].cpu.Seconds()
		}
		rate, cpu := func(p stride) float64 { return p.rate }, func(p stride) time.Duration { return p.cpu }
		b.report.add(line{what: what, ours: perSecond(medianOf(ours, rate)), limit: perSecond(medianOf(limit, rate)), ratio: median(paces),
			target: t})
		b.report.add(line{what: what + ", by processor time of all", ours: micros(medianOf(ours, cpu)), limit: micros(medianOf(limit, cpu)),
			ratio: median(costs)})
	}
	add(fmt.Sprintf("marking %d students: pgbench, the upsert in one statement", markedStudents), marks, limits, atLeast(markTarget))
	add(fmt.Sprintf("monthly register of %d students: pgbench, the same query", registerStudents), reads, queries, atLeast(registerTarget))
	return nil
}

// markBody is a request that marks the class on DAY.
func markBody() (string, error) {
	records := make([]map[string]any, markedStudents)
	for i := range records {
		records[i] = map[string]any{"studentId": md5ID(fmt.Sprint("student", i+1)), "status": "PRESENT"}
	}
	body, err := json.Marshal(map[string]any{"data": map[string]any{"divisionId": md5ID("Class 5A"), "date": "DAY", "reason": "Bench",
		"records": records}})
	return string(body), err
}

// staff are the offices that work at once.
type staff []*office

// stride is calls a second, and the processor time of each: the caller's, Postgres's and Redis's.
type stride struct {
	rate float64
	cpu  time.Duration
}

// together lets workers call for so many seconds, after a moment to warm up.
func (s staff) together(ctx context.Context, seconds int, call func(worker int) error) (stride, error) {
	for w := range s {
		for range 5 {
			if err := call(w); err != nil {
				return stride{}, err
			}
		}
	}
	postgres := postgresTree(ctx, s[0].url)
	spent := func() time.Duration { return postgres.cpu() + ownCPU() + redisCPU(ctx, s[0].service.Redis) }
	before := spent()
	var group sync.WaitGroup
	counts, errs := make([]int, len(s)), make([]error, len(s))
	began := time.Now()
	until := began.Add(time.Duration(seconds) * time.Second)
	for w := range s {
		group.Go(func() {
			for ; time.Now().Before(until) && errs[w] == nil; counts[w]++ {
				errs[w] = call(w)
			}
		})
	}
	group.Wait()
	all := 0
	for w := range s {
		if errs[w] != nil {
			return stride{}, errs[w]
		}
		all += counts[w]
	}
	rate := float64(all) / time.Since(began).Seconds()
	return stride{rate, (spent() - before) / time.Duration(max(1, all))}, nil
}

// scripted runs a statement by pgbench, whose every client is bound to the school of
// one of the offices, as ours are.
func (s staff) scripted(ctx context.Context, seconds int, sql string) (stride, error) {
	file, err := os.CreateTemp("", "bench-*.sql")
	if err != nil {
		return stride{}, err
	}
	defer os.Remove(file.Name())
	school := "case :client_id::int"
	for w, o := range s {
		school += fmt.Sprintf(" when %d then '%s'", w, schemaName(o.number))
	}
	school += " end"
	script := fmt.Sprintf("\\set d :d + 1\n\\startpipeline\nbegin;\nselect set_config('search_path', %[1]s, true), set_config('role', "+
		"%[1]s, true);\n%[2]s;\ncommit;\n\\endpipeline\n", school, sql)
	if _, err := file.WriteString(script); err != nil {
		return stride{}, err
	}
	if err := file.Close(); err != nil {
		return stride{}, err
	}
	clients := fmt.Sprint(len(s))
	cmd := exec.CommandContext(ctx, program("pgbench"), "-n", "-M", "prepared", "-c", clients, "-j", clients, "-T", fmt.Sprint(seconds), "-D",
		"d=0", "-f", file.Name(), s[0].url)
	cmd.Env = append(os.Environ(),
		"PGOPTIONS=-c search_path="+schemaName(s[0].number)) // where statements are prepared, before they are bound
	postgres := postgresTree(ctx, s[0].url)
	before := postgres.cpu()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return stride{}, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	spent := postgres.cpu() - before + cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	for line := range strings.Lines(string(out)) {
		var tps float64
		if _, err := fmt.Sscanf(line, "tps = %f", &tps); err == nil {
			return stride{tps, time.Duration(float64(spent) / (tps * float64(seconds)))}, nil
		}
	}
	return stride{}, fmt.Errorf("pgbench said nothing of its speed:\n%s", out)
}
