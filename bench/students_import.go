package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"homeroom/tenancy"
)

const (
	importedStudents = 10_000
	importTarget     = 0.3
	importMemory     = 150 << 20
	promotionTarget  = 0.3
	// firstOffice numbers the schools these parts fill, far from the fleet's, from those that move and from the peer's.
	firstOffice = 10_000_000
)

// office is a school with a year, classes and divisions to import students into.
type office struct {
	*fleet
	number int
	token  string
}

// officeSQL makes class 5, whose 5,000 students go to class 6, and the next year.
const officeSQL = `
insert into academic_year (id, name, start_date, end_date, active)
values (md5('now')::uuid, 'now', current_date - 100, current_date + 100, true), (md5('next')::uuid, 'next', current_date + 110,
current_date + 300, false);
insert into class (id, name, level) values (md5('6')::uuid, 'Class 6', 6);
insert into class (id, name, level, next_class_id) values (md5('5')::uuid, 'Class 5', 5, md5('6')::uuid);
insert into division (id, class_id, name) select md5(k.name || d)::uuid, k.id, d from class k, unnest(array['A', 'B', 'C', 'D']) d`

// newOffice makes a school nobody has filled yet. Its administrator signs in at once,
// while theirs is the only account.
func (b *bench) newOffice(ctx context.Context) (*office, error) {
	f, err := b.schools(ctx, 1)
	if err != nil {
		return nil, err
	}
	o := &office{fleet: f, number: firstOffice + int(time.Now().UnixMilli()%100_000_000)}
	if err := f.add(ctx, o.number, 0); err != nil {
		return nil, err
	}
	tokens, err := f.signIn(ctx, o.number)
	if err != nil {
		return nil, err
	}
	o.token = tokens[o.number]
	return o, f.exec(ctx, "set search_path = "+tenancy.Ident(schemaName(o.number))+";"+officeSQL+"; set search_path = ''")
}

// call posts to the service in this process.
func (o *office) call(path, contentType string, body []byte) error {
	return o.send("POST", path, contentType, body)
}

// ask sends JSON, or nothing, to the service in this process.
func (o *office) ask(method, path, body string) error {
	if body == "" {
		return o.send(method, path, "", nil)
	}
	return o.send(method, path, "application/json", []byte(body))
}

func (o *office) send(method, path, contentType string, body []byte) error {
	r, err := http.NewRequest(method, path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Authorization", "Bearer "+o.token)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	w := &blotter{header: http.Header{}}
	o.service.Kernel.Handler().ServeHTTP(w, r)
	if w.status >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: answered %d %s", method, path, w.status, w.body)
	}
	return nil
}

// studentFile is students with guardians, every third a sibling of the one before.
func studentFile(n int) []byte {
	var b bytes.Buffer
	b.WriteString("admissionNumber,firstName,lastName,class,division,rollNumber,gender,dateOfBirth,address," +
		"guardian1FirstName,guardian1Phone,guardian1Relation\n")
	parent := 0
	for i := range n {
		if i%3 != 2 {
			parent++
		}
		fmt.Fprintf(&b, "A-%05d,Child%d,Rao,Class %d,%c,%d,FEMALE,2015-03-0%d,\"%d, Hill Road\",Parent%d,+91981%07d,MOTHER\n",
			i, i, 5+i%2, 'A'+rune(i/2%4), i/8+1, i%9+1, i, parent, parent)
	}
	return b.Bytes()
}

// importSQL does with the rows what an import does, without looking at them first.
const importSQL = `
insert into app_user (id, role_id, first_name, phone) select gen_random_uuid(), r.id, min(s.parent), s.phone from staging s, role r
where r.type = 'PARENT' and r.system group by s.phone, r.id;
insert into guardian (id, user_id, first_name, phone) select gen_random_uuid(), u.id, u.first_name, u.phone from app_user u where
exists (select from staging s where s.phone = u.phone);
insert into student (id, admission_number, first_name, last_name, class_id, gender, date_of_birth, address, admission_date, search_text)
	select gen_random_uuid(), s.number, s.first, s.last, k.id, s.gender, s.born, s.address, current_date,
	lower(s.first || ' ' || s.last || ' ' || s.number || ' ' || s.phone) from staging s join class k on k.name = s.class;
insert into enrolment (id, student_id, academic_year_id, class_id, division_id, roll_number, start_date)
	select gen_random_uuid(), t.id, y.id, k.id, d.id, s.roll, current_date
	from staging s join student t on t.admission_number = s.number join class k on k.name = s.class join division d on d.class_id = k.id
	and d.name = s.division join academic_year y on y.active;
insert into student_guardian (id, student_id, guardian_id, relation, is_primary)
	select gen_random_uuid(), t.id, g.id, s.relation, true from staging s join student t on t.admission_number = s.number
	join guardian g on g.phone = s.phone;`

// psqlImport is the limit: COPY into a staging table and INSERT … SELECT, by psql.
func (o *office) psqlImport(ctx context.Context, file []byte) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "bench-import-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "students.csv")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		return 0, err
	}
	script := "set search_path = " + tenancy.Ident(schemaName(o.number)) + ", extensions;\nbegin;\n" +
		"create table staging (number text, first text, last text, class text, division text, roll int, gender text, born date, address text, " +
		"parent text, phone text, relation text);\n" +
		`\copy staging from '` + path + `' with (format csv, header)` + "\n" + importSQL + "\ndrop table staging;\ncommit;\n"
	cmd := exec.CommandContext(ctx, program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", o.url)
	cmd.Stdin = strings.NewReader(script)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("psql: %w\n%s", err, out)
	}
	return time.Since(began), nil
}

// measureImport has the service and psql take the same file, each in a school of its own.
func measureImport(ctx context.Context, b *bench) error {
	n := importedStudents
	if b.quick {
		n = 1_000
	}
	file := studentFile(n)
	var ours, psql []time.Duration
	var memory uint64
	for range b.rounds {
		o, err := b.newOffice(ctx)
		if err != nil {
			return err
		}
		peak := watchHeap()
		began := time.Now()
		if err := o.call("/school-admin/student/import", "text/csv", file); err != nil {
			return err
		}
		ours = append(ours, time.Since(began))
		memory = max(memory, peak())
		if o, err = b.newOffice(ctx); err != nil {
			return err
		}
		took, err := o.psqlImport(ctx, file)
		if err != nil {
			return err
		}
		psql = append(psql, took)
	}
	b.report.add(line{
		what: fmt.Sprintf("importing %d students with guardians: psql, COPY and INSERT … SELECT", n),
		ours: millis(median(ours)), limit: millis(median(psql)), ratio: median(psql).Seconds() / median(ours).Seconds(),
		target: atLeast(importTarget),
	})
	b.report.add(line{
		what: "memory of such an import: 150 MB", ours: fmt.Sprintf("%d MB", memory>>20), limit: "150 MB",
		ratio: float64(memory) / importMemory, target: atMost(1),
	})
	return nil
}
