package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
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
	book, err := workbook(file)
	if err != nil {
		return err
	}
	var ours, books, psql []time.Duration
	var memory, bookMemory uint64
	take := func(file []byte) (time.Duration, uint64, error) {
		o, err := b.newOffice(ctx)
		if err != nil {
			return 0, 0, err
		}
		peak := watchHeap()
		began := time.Now()
		err = o.call("/school-admin/student/import", "text/csv", file)
		return time.Since(began), peak(), err
	}
	for range b.rounds {
		took, most, err := take(file)
		if err != nil {
			return err
		}
		ours, memory = append(ours, took), max(memory, most)
		if took, most, err = take(book); err != nil {
			return err
		}
		books, bookMemory = append(books, took), max(bookMemory, most)
		o, err := b.newOffice(ctx)
		if err != nil {
			return err
		}
		if took, err = o.psqlImport(ctx, file); err != nil {
			return err
		}
		psql = append(psql, took)
	}
	for _, l := range []struct {
		as     string
		took   []time.Duration
		memory uint64
	}{{"", ours, memory}, {" from an .xlsx", books, bookMemory}} {
		b.report.add(line{
			what: fmt.Sprintf("importing %d students with guardians%s: psql, COPY and INSERT … SELECT", n, l.as),
			ours: millis(median(l.took)), limit: millis(median(psql)), ratio: median(psql).Seconds() / median(l.took).Seconds(),
			target: atLeast(importTarget),
		})
		b.report.add(line{
			what: fmt.Sprintf("memory of such an import%s: 150 MB", l.as), ours: fmt.Sprintf("%d MB", l.memory>>20), limit: "150 MB",
			ratio: float64(l.memory) / importMemory, target: atMost(1),
		})
	}
	return nil
}

// workbook is a CSV file as an .xlsx, its cells as texts.
func workbook(file []byte) ([]byte, error) {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		return nil, err
	}
	const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	var sheet bytes.Buffer
	sheet.WriteString(head + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for r, row := range rows {
		fmt.Fprintf(&sheet, `<row r="%d">`, r+1)
		for c, cell := range row {
			fmt.Fprintf(&sheet, `<c r="%c%d" t="inlineStr"><is><t>`, 'A'+rune(c), r+1)
			if err := xml.EscapeText(&sheet, []byte(cell)); err != nil {
				return nil, err
			}
			sheet.WriteString(`</t></is></c>`)
		}
		sheet.WriteString(`</row>`)
	}
	sheet.WriteString(`</sheetData></worksheet>`)
	const office = "application/vnd.openxmlformats-officedocument"
	const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	parts := [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + office + `.spreadsheetml.sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + office + `.spreadsheetml.worksheet+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + relations +
			`"><sheets><sheet name="Students" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="` + relations + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range append(parts, [2]string{"xl/worksheets/sheet1.xml", strings.TrimPrefix(sheet.String(), head)}) {
		w, err := z.Create(p[0])
		if err == nil {
			_, err = w.Write([]byte(head + p[1]))
		}
		if err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}
