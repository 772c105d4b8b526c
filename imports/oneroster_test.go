package imports_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// bundle is a zip of CSV files, by name and lines.
func bundle(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, lines := range files {
		f, err := archive.Create("roster/" + name + ".csv")
		if err == nil {
			_, err = f.Write([]byte("\ufeff" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\r\n") + "\r\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// roster is a bundle as another program writes it: two students, a guardian of both, a teacher, one homeroom and mathematics there.
func roster2() map[string]string {
	return map[string]string{
		"manifest":         "propertyName,value\noneroster.version,1.2",
		"orgs":             "sourcedId,status,dateLastModified,name,type\ns1,,,Green Valley,school",
		"academicSessions": "sourcedId,status,dateLastModified,title,type,startDate,endDate,schoolYear\ny1,,,Year,schoolYear,2026-04-01,2027-03-31,2027",
		"courses":          "sourcedId,status,title,courseCode,orgSourcedId,subjects\nc1,,Class 5,,s1,\nc2,,Class 5 Mathematics,MAT,s1,Mathematics",
		"classes": "sourcedId,status,title,courseSourcedId,classCode,classType,schoolSourcedId,termSourcedIds\n" +
			"k1,,Class 5 A,c1,,homeroom,s1,y1\nk2,,Maths 5A,c2,MAT,scheduled,s1,y1",
		"users": "sourcedId,status,enabledUser,username,givenName,familyName,identifier,email,sms,phone,agentSourcedIds\n" +
			"u1,,true,asha,Asha,Rao,R-1,,,,g1\nu2,,true,ravi,Ravi,Ravi,R-2,,,,g1\nu3,tobedeleted,true,gone,Gone,Away,R-3,,,,\n" +
			"g1,,true,g1,Meena,Rao,,,+919876500301,,\nt1,,true,latha,Latha,Nair,T-1,latha@school.test,,+919876500302,",
		"roles": "sourcedId,status,userSourcedId,roleType,role,orgSourcedId\nr1,,u1,primary,student,s1\nr2,,u2,primary,student,s1\n" +
			"r3,,g1,primary,parent,s1\nr4,,t1,primary,teacher,s1",
		"enrollments": "sourcedId,status,classSourcedId,schoolSourcedId,userSourcedId,role,primary,beginDate\ne1,,k1,s1,u1,student,false,\n" +
			"e2,,k1,s1,u2,student,false,\ne3,,k2,s1,u1,student,false,\ne4,,k1,s1,t1,teacher,true,\ne5,,k2,s1,t1,teacher,false,",
		"demographics": "sourcedId,status,birthDate,sex\nu1,,2016-05-04,female",
	}
}

func TestImport_OneRosterBundle_IsTakenInWholeAndTakenBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const path = "/school-admin/oneroster/import"
	file := bundle(t, roster2())
	before := sums(t, o.School)
	dry := o.imports(t, path+"?dryRun=true", file)
	if dry.Creates != 6 || dry.Bad != 0 || dry.GuardiansNew != 1 || dry.Enrolments != 2 {
		t.Errorf("the dry run: %+v", dry)
	}
	if after := sums(t, o.School); !maps.Equal(before, after) {
		t.Errorf("the dry run changed the school\nfrom %v\nto   %v", before, after)
	}
	run := o.imports(t, path+"?planHash="+dry.PlanHash, file)
	if run.Creates != dry.Creates || run.GuardiansNew != 1 || !run.MayUndo {
		t.Errorf("the run: %+v", run)
	}
	for where, want := range map[string]int{
		`student where first_name = 'Ravi' and last_name = '' and admission_number = 'R-2'`: 1, `student where first_name = 'Gone'`: 0,
		`student where date_of_birth = '2016-05-04' and gender = 'FEMALE'`: 1, `student_guardian`: 2,
		`employee where employee_code = 'T-1' and email = 'latha@school.test' and user_id is not null`:                                    1,
		`class_subject cs join subject s on s.id = cs.subject_id where s.code = 'MAT'`:                                                    1,
		`teacher_assignment where is_class_teacher and subject_id is null`:                                                                1,
		`teacher_assignment where subject_id is not null and division_id is not null`:                                                     1,
		`enrolment e join division d on d.id = e.division_id join class c on c.id = d.class_id where d.name = 'A' and c.name = 'Class 5'`: 2,
	} {
		var n int
		if err := o.DB(t).Raw(`select count(*) from ` + where).Row().Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d, want %d (%v)", where, n, want, err)
		}
	}
	if again := o.imports(t, path, file); again.Creates+again.Updates != 0 || again.Unchanged != 6 {
		t.Errorf("the same bundle again: %+v", again)
	}
	if a := o.Send(t, "POST", path+"?planHash="+dry.PlanHash, "application/zip", []byte(file)); a.Status != 409 {
		t.Errorf("by the plan of before: %d %s", a.Status, a.Body)
	}
	if a := o.undo(t, path, run); a.Status != 200 {
		t.Fatalf("taking it back: %d %s", a.Status, a.Body)
	}
	if after := sums(t, o.School); !maps.Equal(before, after) {
		t.Errorf("taken back, the school is not as before\nfrom %v\nto   %v", before, after)
	}

	bad := roster2()
	bad["orgs"] += "\ns2,,,Other,school"
	if a := o.Send(t, "POST", path, "text/csv", []byte(bundle(t, bad))); a.Status != 422 && a.Status != 400 {
		t.Errorf("two schools: %d %s", a.Status, a.Body)
	}
	bad = roster2()
	bad["users"] = strings.Replace(bad["users"], "+919876500302", "", 1)
	a := o.Send(t, "POST", path, "text/csv", []byte(bundle(t, bad)))
	if a.Status != 422 || !strings.Contains(string(a.Body), "phone") {
		t.Errorf("a teacher without a phone: %d %s", a.Status, a.Body)
	}
	if after := sums(t, o.School); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("refused, it left something")
	}
}
