package web_test

import (
	"fmt"
	"testing"

	"homeroom/api"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestSettings_RulesOfResultsAndFees_SayTheirDefaultsAndHold changes them in a browser.
func TestSettings_RulesOfResultsAndFees_SayTheirDefaultsAndHold(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{})
	s.QuietHours(t, "21:00", "07:00") // as a new school has them, which those of tests do not
	post := func(path string, data map[string]any) made {
		return testkit.Post[made](t, clerk, "/school-admin/"+path, data)
	}
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))
	year := post("academic-year/create", map[string]any{"name": "2026-27", "startDate": today.AddDays(-100), "endDate": today.AddDays(99)})
	testkit.Post[made](t, clerk, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	class := post("class/create", map[string]any{"name": "Class 5"})
	division := post("division/create", map[string]any{"classId": class.ID, "name": "A"})
	for name, since := range map[string]int{"Asha": -100, "Ravi": 0} {
		post("student/create", map[string]any{"firstName": name, "lastName": "Rao", "divisionId": division.ID, "admissionDate": today.AddDays(since)})
	}
	head := post("fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	const whole = 1_000_000
	post("fee/structure/create", map[string]any{"classId": class.ID, "name": "Class 5 fees",
		"heads":       []any{map[string]any{"feeHeadId": head.ID, "amount": whole}},
		"instalments": []any{map[string]any{"name": "The year", "dueDate": today.AddDays(30), "percent": 100}}})
	// Ravi joins on the 101st of 200 days: by days, the half of the year remains.
	stage["stage"] = map[string]any{"part": fmt.Sprintf("₹%d,%03d.00", whole/2/100/1000, whole/2/100%1000)}
	browse(t, app, "school-rules", stage)
}
