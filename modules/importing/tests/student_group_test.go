package importing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// electives adds French and Sanskrit for both divisions of class 5, at one hour, and chess for 5 A.
func (o *office) electives(t *testing.T) {
	t.Helper()
	divisions := map[string]uuid.UUID{}
	for _, d := range testkit.Get[api.Page[roster.Division]](t, o.Client,
		"/school-admin/division/list?filters[classId]="+o.classes[1].ID.String()).Items {
		divisions[d.Name] = d.ID
	}
	period := testkit.Post[timetable.Period](t, o.Client, "/school-admin/timetable/period/create",
		map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	for name, in := range map[string]string{"French": "AB", "Sanskrit": "AB", "Chess": "A"} {
		subject := testkit.Post[roster.Subject](t, o.Client, "/school-admin/subject/create", map[string]any{"name": name, "code": name})
		var ids []uuid.UUID
		for _, d := range in {
			ids = append(ids, divisions[string(d)])
		}
		g := testkit.Post[roster.Group](t, o.Client, "/school-admin/group/create",
			map[string]any{"name": name, "subjectId": subject.ID, "divisionIds": ids})
		if name != "Chess" {
			testkit.Put[timetable.GroupWeek](t, o.Client, "/school-admin/timetable/group/"+g.ID.String(),
				map[string]any{"slots": []any{map[string]any{"dayOfWeek": 1, "periodId": period.ID}}})
		}
	}
}

const groupsHead = "admissionNumber,firstName,class,division,groups\r\n"

func TestImport_Groups_AreJoinedSinceTheStudentSitsThere(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.electives(t)
	o.imports(t, groupsHead+"A-1,Asha,Class 5,A,french; Chess\r\nA-2,Bina,Class 5,B,Sanskrit\r\nA-3,Charu,Class 5,B,\r\n", "")
	members := func(where string) (names []string) {
		t.Helper()
		err := o.DB(t).Raw(`select s.first_name || ' ' || g.name || ' ' || m.from_date
			from student_group_member m join student s on s.id = m.student_id join student_group g on g.id = m.group_id
			where ` + where + ` order by 1`).Scan(&names).Error
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	want := "[Asha Chess 2026-06-01 Asha French 2026-06-01 Bina Sanskrit 2026-06-01]"
	if got := fmt.Sprint(members("true")); got != want {
		t.Errorf("members %s, want %s", got, want)
	}
	export := string(o.Call(t, "GET", "/school-admin/student/export", nil).Body)
	if !strings.Contains(export, "Chess; French") {
		t.Errorf("the export lacks the groups:\n%s", export)
	}
	if again := o.imports(t, export, "dryRun=true"); again.Unchanged != 3 {
		t.Errorf("the export sent again would change something: %+v", again)
	}
	changed := o.imports(t, groupsHead+"A-1,,,,Chess\r\nA-2,,,,\r\nA-3,,,,French\r\n", "")
	if changed.Updates != 2 || changed.Unchanged != 1 {
		t.Errorf("%d updates and %d unchanged, want 2 and 1", changed.Updates, changed.Unchanged)
	}
	if got := fmt.Sprint(members("m.to_date is null")); !strings.HasPrefix(got, "[Asha Chess 2026-06-01 Bina Sanskrit 2026-06-01 Charu French ") {
		t.Errorf("members %s, want Asha in chess since June and no longer in French", got)
	}
}

func TestImport_GroupsThatDoNotFit_AreNamedByRow(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.electives(t)
	dry := o.imports(t, groupsHead+"A-1,Asha,Class 5,A,Latin\r\nA-2,Bina,Class 5,B,Chess\r\nA-3,Charu,Class 5,A,French;Sanskrit\r\n"+
		"A-4,Devi,Class 5,,French\r\n", "dryRun=true")
	want := []string{
		`{2 groups no group is called "Latin": there are Chess, French, Sanskrit}`,
		`{3 groups Chess is not for students of Class 5-B}`,
		`{4 groups French and Sanskrit have lessons at one time}`,
		`{5 groups need a division: a group is of students of some divisions}`,
	}
	if len(dry.Errors) != len(want) {
		t.Fatalf("errors %v, want %d", dry.Errors, len(want))
	}
	for i, e := range dry.Errors {
		if fmt.Sprint(e) != want[i] {
			t.Errorf("row %d: %v, want %s", i+2, e, want[i])
		}
	}
}
