// Package attendance knows who was at school on which day, and which days are off. It
// tells parents of absence; it decides no leave and only shows it.
package attendance

import (
	"homeroom/api"
	"homeroom/paper"
)

// Module serves attendance, and shows the leave that others grant.
type Module struct {
	// Letterhead reads what the school's papers begin with.
	Letterhead func(api.Ctx) (paper.Letterhead, error)
	Schools    api.Schools
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "attendance",
		Permissions: []api.Permission{{Key: "attendance", Title: "Attendance", Teacher: "rw", Parent: "r"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Listen:      m.listen,
		Personal:    personal(),
		Examples:    examples(),
		NextYear:    nextYear(),
		Names:       map[string]string{"holiday": `select id, name from holiday`},
	}
}

// routes are the endpoints of attendance and the holiday calendar.
func (m *Module) routes() []api.Row {
	return api.Rows(
		dayFiles().Rows(),
		totalFiles().Rows(),
		api.Post("/school-admin/attendance/mark", "attendance", "Mark a division for a day, all or nothing; a day past needs a reason",
			officeMarks, api.Says("Attendance marked")),
		api.Get("/school-admin/attendance/register", "attendance", "A division's register of a day", readRegister),
		api.Get("/school-admin/attendance/unmarked", "attendance", "Which divisions are not yet marked on a day", unmarked,
			api.MayBeStale),
		api.Get("/school-admin/attendance/report", "attendance", "A division's register of a month, with totals and percent", readReport,
			api.MayBeStale),
		api.Get("/school-admin/attendance/report.csv", "attendance", "A division's register of a month as a CSV file", reportFile,
			api.Gives("text/csv")),
		api.Get("/school-admin/attendance/report.pdf", "attendance", "A division's register of a month to print", m.printReport,
			api.Gives("application/pdf")),
		api.Get("/school-admin/attendance/summary", "attendance", "Attendance of the school, its classes and divisions between two days",
			summary, api.MayBeStale),
		api.Get("/school-admin/attendance/summary.csv", "attendance", "The attendance summary as a CSV file", summaryFile,
			api.Gives("text/csv")),
		api.Get("/school-admin/attendance/summary.pdf", "attendance", "The attendance summary to print", m.printSummary,
			api.Gives("application/pdf")),
		api.Get("/school-admin/attendance/history/:studentId", "attendance", "A student's days and every change of them", history),
		api.Get("/school-admin/attendance/lessons", "attendance", "The lessons of a day, and which are marked", officeLessons),
		api.Get("/school-admin/attendance/lesson", "attendance", "The register of a lesson", officeLesson),
		api.Post("/school-admin/attendance/lesson/mark", "attendance",
			"Mark a lesson: who is not named is present; again is a correction; a day past needs a reason", officeMarksLesson,
			api.Says("Lesson marked")),

		api.Create("/school-admin/attendance/holiday/create", "attendance", "Add a day off, of the school or of some classes", createHoliday,
			api.Says("Holiday created")),
		api.List("/school-admin/attendance/holiday/list", "attendance", "List the days off", holidayListing, listHolidays,
			api.MayBeStale),
		api.Get("/school-admin/attendance/holiday/:id", "attendance", "Read a day off", getHoliday),
		api.Put("/school-admin/attendance/holiday/:id", "attendance", "Change a day off", updateHoliday, api.Versioned),
		api.Remove("/school-admin/attendance/holiday/:id", "attendance", "Delete a day off", deleteHoliday),

		api.Post("/teacher/attendance/mark", "attendance", "Mark a division of mine for today or one of the seven days before, all or nothing",
			teacherMarks, api.About(markedDivision), api.Says("Attendance marked")),
		api.Get("/teacher/attendance/register", "attendance", "The register of a division of mine of a day", readRegister,
			api.About(registerDivision)),
		api.Get("/teacher/attendance/report", "attendance", "The register of a division of mine of a month", readReport,
			api.About(reportDivision), api.MayBeStale),
		api.Get("/teacher/attendance/lessons", "attendance", "The lessons I hold on a day, as a substitute too, and which are marked",
			teacherLessons),
		api.Get("/teacher/attendance/lesson", "attendance", "The register of a lesson I hold", teacherLesson),
		api.Post("/teacher/attendance/lesson/mark", "attendance", "Mark a lesson I hold: who is not named is present; again is a correction",
			teacherMarksLesson, api.Says("Lesson marked")),

		api.Get("/parent/attendance/list", "attendance", "A child's days of a month", childMonth, api.MayBeStale),
		api.Get("/parent/attendance/summary", "attendance", "A child's attendance between two days; the academic year unless given",
			childSummary, api.MayBeStale),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "holiday_dates_check", Field: "endDate", Message: "endDate must not be before startDate"},
		{Name: "holiday_class_class_fkey", Field: "classIds", Message: "classIds has a class that does not exist"},
		{Name: "holiday_division_division_fkey", Field: "divisionIds", Message: "divisionIds has a division that does not exist"},
		{Name: "attendance_once", Field: "records", Message: "Someone marked this student just now", LostRace: true},
		{Name: "school_setting_notice_delay_check", Field: "attendanceNoticeDelayMinutes",
			Message: "attendanceNoticeDelayMinutes must be from 0 to 1440"},
	}
}
