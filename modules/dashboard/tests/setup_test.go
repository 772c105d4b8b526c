package dashboard_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/dashboard"
	"homeroom/testkit"
)

func TestSetup_FromYearToPayment_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	office := s.As(t, api.SchoolAdmin)
	steps := func() (map[string]dashboard.SchoolSetupStep, dashboard.Setup) {
		all := testkit.Get[dashboard.Setup](t, office, "/school-admin/dashboard/setup")
		by := map[string]dashboard.SchoolSetupStep{}
		for _, step := range all.Steps {
			by[step.Step] = step
		}
		return by, all
	}
	if _, all := steps(); all.Done != 0 || all.Total != 12 || all.Steps[0].Step != "YEAR" || all.Steps[11].Step != "PAYMENT" {
		t.Errorf("a school without anything: %+v", all)
	}
	s.Child(t, s.Seat(t, "Class 5"), 0)
	by, all := steps()
	for step, want := range map[string]dashboard.SchoolSetupStep{
		"YEAR":           {Step: "YEAR", Done: true, Count: 1},
		"CLASSES":        {Step: "CLASSES", Done: true, Count: 1},
		"CLASS_TEACHERS": {Step: "CLASS_TEACHERS", Missing: 1},
		"STUDENTS":       {Step: "STUDENTS", Done: true, Count: 1},
		"GUARDIANS":      {Step: "GUARDIANS", Missing: 1},
		"FEES":           {Step: "FEES", Missing: 1},
	} {
		if by[step] != want {
			t.Errorf("%+v, want %+v", by[step], want)
		}
	}
	if all.Done != 3 {
		t.Errorf("%d steps are done, want 3", all.Done)
	}
}
