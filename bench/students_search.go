package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	"homeroom/tenancy"
)

const (
	searchedStudents = 20_000
	searchTarget     = 0.5
)

// The statements of the student list, with values where it has parameters.
const (
	studentsFrom = ` FROM student, (select current_date as day) as today WHERE student.deleted_at is null`
	studentsLine = `SELECT student.id, student.admission_number, student.first_name, student.last_name, student.gender, student.date_of_birth,
	student.phone, student.photo_file_id, student.admission_date, student.status, student.created_at, student.version, coalesce(
	(select jsonb_build_object('academicYearId', e.academic_year_id, 'classId', e.class_id, 'className', k.name,
			'divisionId', e.division_id, 'divisionName', d.name, 'rollNumber', e.roll_number)
		from enrolment e join class k on k.id = e.class_id join division d on d.id = e.division_id
		where e.student_id = student.id and e.start_date <= today.day and (e.end_date is null or e.end_date >= today.day)),
	(select jsonb_build_object('classId', k.id, 'className', k.name) from class k where k.id = student.class_id
	and student.status = 'ACTIVE'),
	'{}') as seat`
)

// measureSearch lists and searches the students of one large school, by the service
// and by pgbench.
func measureSearch(ctx context.Context, b *bench) error {
	o, err := b.newOffice(ctx)
	if err != nil {
		return err
	}
	if _, err := o.psqlImport(ctx, studentFile(searchedStudents)); err != nil {
		return err
	}
	schema := tenancy.Ident(schemaName(o.number))
	if err := o.exec(ctx, "vacuum analyze "+schema+".student, "+schema+".enrolment"); err != nil {
		return err
	}
	c, err := startChild(ctx, "ours", o.childSettings(b.servers))
	if err != nil {
		return err
	}
	defer c.stop()
	for _, q := range []struct {
		name, where string
		query       func(r *rand.Rand) string
		target      target
	}{
		{"list of", "", func(*rand.Rand) string { return "" }, atLeast(searchTarget)},
		{"list of a class among", ` AND student.id in (
			select e.student_id from enrolment e where e.class_id = md5('5')::uuid and e.start_date <= current_date and (e.end_date is null
			or e.end_date >= current_date)
			union all
			select s.id from student s where s.class_id = md5('5')::uuid and s.status = 'ACTIVE'
				and s.id not in (select e.student_id from enrolment e where e.start_date <= current_date and (e.end_date is null
				or e.end_date >= current_date)))`,
			func(*rand.Rand) string { return "&filters%5BclassId%5D=" + md5ID("5").String() }, atLeast(searchTarget)},
		{"search by name among", " AND search_text LIKE '%child' || 1000 + (:id)::int || '%' AND search_text LIKE '%rao%'",
			func(r *rand.Rand) string { return searchFor(fmt.Sprintf("Child%d rao", 1001+r.IntN(studentsEach))) }, atLeast(searchTarget)},
		{"search by number among", " AND search_text LIKE '%a-0' || 1000 + (:id)::int || '%'",
			func(r *rand.Rand) string { return searchFor(fmt.Sprintf("A-0%d", 1001+r.IntN(studentsEach))) }, atLeast(searchTarget)},
	} {
		l := load{address: c.Address, clients: b.clients, seed: b.seed, request: func(r *rand.Rand, out []byte) []byte {
			path := "/school-admin/student/list?limit=20" + q.query(r)
			return fmt.Appendf(out, "GET %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", path, o.token)
		}}
		p := pgbench{url: o.url, clients: b.clients, seed: b.seed, schools: 1, only: o.number, sql: []string{
			"SELECT count(*)" + studentsFrom + q.where,
			studentsLine + studentsFrom + q.where + " ORDER BY first_name, student.id LIMIT 20",
		}}
		var ours, limit []float64
		for range b.rounds {
			tps, err := p.run(ctx, 1, b.seconds, func(int) {}, func(int) {})
			if err != nil {
				return err
			}
			pace, err := l.run(time.Second, time.Duration(b.seconds)*time.Second, func() {})
			if err != nil {
				return err
			}
			ours, limit = append(ours, pace.perSecond()), append(limit, tps)
		}
		b.report.add(line{
			what: fmt.Sprintf("%s %d students: pgbench", q.name, searchedStudents), ours: perSecond(median(ours)), limit: perSecond(median(limit)),
			ratio: median(ours) / median(limit), target: q.target,
		})
	}
	return nil
}

func searchFor(words string) string { return "&filters%5Bsearch%5D=" + url.QueryEscape(words) }
