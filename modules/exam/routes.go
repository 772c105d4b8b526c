// Package exam holds exams: their papers, what students got in them, how that is
// graded and weighed, and the report card. Parents see of it what is published.
package exam

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
)

// Attendance counts students' school days, for the report card.
type Attendance interface {
	Totals(c api.Ctx, students []uuid.UUID, from, to api.Date) (present map[uuid.UUID]float64, marked, schoolDays map[uuid.UUID]int,
		err error)
}

// Module serves exams. Attendance that is nil is left off the report card.
type Module struct {
	Attendance Attendance
	// Letterhead reads what the school's papers begin with.
	Letterhead func(api.Ctx) (paper.Letterhead, error)
	// Photo gives a photo's bytes, none for one that is gone; nil: none are printed.
	Photo func(api.Ctx, uuid.UUID) ([]byte, error)
	// Due is what of fees is due today by student, for hall tickets that are held back.
	Due func(api.Ctx, []uuid.UUID) (map[uuid.UUID]int64, error)
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name: "exam",
		Permissions: []api.Permission{
			{Key: "exam", Title: "Exams", Teacher: "r", Parent: "r", OpenInEvaluationMode: true},
			{Key: "result", Title: "Results", Teacher: "rw", Parent: "r", OpenInEvaluationMode: true},
			{Key: "principal-remark", Title: "Principal's remarks"},
		},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		NextYear:    nextYear(),
		Names: map[string]string{
			"termId":       `select id, name from term`,
			"gradeScaleId": `select id, name from grade_scale`,
			"examId":       `select id, name from exam`,
			"paper": `select p.id, e.name || ', ' || s.name from exam_paper p join exam e on e.id = p.exam_id
				join subject s on s.id = p.subject_id`,
		},
	}
}

// routes are the endpoints of exams and results.
func (m *Module) routes() []api.Row {
	return api.Rows(
		pastResults().Rows(),
		api.Create("/school-admin/exam/create", "exam", "Add an exam of one or more classes", createExam, api.Says("Exam created")),
		api.List("/school-admin/exam/list", "exam", "List the exams", examListing, listExams, api.MayBeStale),
		api.Post("/school-admin/exam/schedule", "exam", "Set an exam's papers, all or nothing; clashes are refused", putSchedule,
			api.Says("Schedule saved")),
		api.Post("/school-admin/exam/result/upload", "result", "Enter results, as JSON or as a CSV file", upload, api.OrCSV(readCSV),
			fileColumns,
			api.Says("Results saved")),
		api.Create("/school-admin/exam/grade-scale/create", "exam", "Add a grade scale", createScale, api.Says("Grade scale created")),
		api.List("/school-admin/exam/grade-scale/list", "exam", "List the grade scales", scaleListing, listScales, api.MayBeStale),
		api.Get("/school-admin/exam/grade-scale/:id", "exam", "Read a grade scale", getScale),
		api.Put("/school-admin/exam/grade-scale/:id", "exam", "Change a grade scale; what is published keeps its grades", updateScale,
			api.Versioned),
		api.Remove("/school-admin/exam/grade-scale/:id", "exam", "Delete a grade scale no class goes by", deleteScale),
		api.Create("/school-admin/exam/term/create", "exam", "Add a term", createTerm, api.Says("Term created")),
		api.List("/school-admin/exam/term/list", "exam", "List the terms", termListing, listTerms, api.MayBeStale),
		api.Get("/school-admin/exam/term/:id", "exam", "Read a term", getTerm),
		api.Put("/school-admin/exam/term/:id", "exam", "Change a term", updateTerm, api.Versioned),
		api.Remove("/school-admin/exam/term/:id", "exam", "Delete a term without exams", deleteTerm),
		api.Get("/school-admin/exam/report-card/:studentId", "result", "A student's report card, or print it", m.reportCard,
			api.Gives("application/pdf"), api.MayFail(errNoYear)),
		api.Get("/school-admin/exam/report-cards", "result", "The report cards of a division in one file to print", m.divisionCards,
			api.Gives("application/pdf"), api.MayTake(5*time.Minute), api.MayFail(errNoYear)),
		api.Get("/school-admin/exam/report-card-sample", "result", "An invented student's report card, to choose a template by", m.sampleCard,
			api.Gives("application/pdf")),
		api.Put("/school-admin/exam/report-card/:studentId/remark", "result",
			"Write the remark on a student's report card; an empty one takes it off", officeRemarks, api.Versioned),
		api.Put("/school-admin/exam/report-card/:studentId/principal-remark", "principal-remark",
			"Write the principal's remark on a student's report card; an empty one takes it off", principalRemarks, api.Versioned),
		api.Get("/school-admin/exam/:id", "exam", "Read an exam", getExam),
		api.Put("/school-admin/exam/:id", "exam", "Change an exam whose results are not published", updateExam, api.Versioned),
		api.Remove("/school-admin/exam/:id", "exam", "Delete an exam without results", deleteExam),
		api.Get("/school-admin/exam/:id/schedule", "exam", "An exam's papers", getSchedule),
		api.Get("/school-admin/exam/:id/hall-tickets", "exam", "The hall tickets of a division or a student in one file to print",
			m.printHallTickets, api.Gives("application/pdf"), api.MayTake(5*time.Minute),
			api.MayFail(api.Conflict("Term 1 has no papers of Class 5"), api.Conflict("Term 1 has no papers that they take"))),
		api.Get("/school-admin/exam/:id/results", "result", "An exam's results with totals, grades and ranks", getResults,
			api.MayBeStale),
		api.Get("/school-admin/exam/:id/results.csv", "result", "An exam's results of a class as a CSV file", resultsCSV,
			api.Gives("text/csv")),
		api.Get("/school-admin/exam/:id/results.pdf", "result", "An exam's results to print, a sheet for each class", m.printResults,
			api.Gives("application/pdf"), api.MayFail(api.Conflict("Term 1 has no results to print"))),
		api.Post("/school-admin/exam/:id/publish", "exam", "Publish an exam's results, which tells the guardians, or its schedule", publish,
			api.NoBodyNeeded, api.Says("Published")),
		api.Post("/school-admin/exam/:id/unpublish", "exam", "Take an exam's results or schedule back", unpublish, api.NoBodyNeeded,
			api.Says("Unpublished")),

		api.List("/teacher/exam/list", "exam", "The exams of my classes, and those I invigilate", examListing, teachersExams,
			api.MayBeStale),
		api.Get("/teacher/exam/:id/schedule", "exam", "The papers of my classes, and those I invigilate", teachersSchedule),
		api.Get("/teacher/exam/:id/groups", "result", "The mark sheets of the groups whose lessons I hold", groupSheets),
		api.Post("/teacher/result/upload", "result", "Enter results of my subjects and divisions, as JSON or as a CSV file", upload,
			api.OrCSV(readCSV), fileColumns, api.AboutEach(uploadScope), api.Says("Results saved")),
		api.List("/teacher/result/list", "result", "The results of my subjects and divisions", itemListing, teachersResults),
		api.Get("/teacher/result/remarks", "result", "What I wrote on the report cards of the students whose class teacher I am",
			teachersRemarks),
		api.Put("/teacher/result/remark", "result",
			"Write the remark on the report card of a student whose class teacher I am; an empty one takes it off", teacherRemarks, api.Versioned),
		api.Put("/teacher/result/update", "result", "Correct a result that is not published", updateResult, api.About(resultScope),
			api.Versioned),

		api.List("/parent/exam/list", "exam", "My children's exams", childListing, childExams, api.MayBeStale),
		api.Get("/parent/exam/schedule", "exam", "The papers a child sits, once they are published", childSchedule, api.MayBeStale),
		api.Get("/parent/exam/results", "result", "A child's published results", childResults, api.MayBeStale),
		api.Get("/parent/exam/report-card", "result", "A child's report card, or print it", m.childCard, api.Gives("application/pdf"),
			api.MayFail(errNoYear)),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "exam_name_key", Field: "name", Message: "The academic year has an exam of this name"},
		{Name: "exam_year_fkey", Field: "academicYearId", Message: "academicYearId does not exist"},
		{Name: "exam_term_fkey", Field: "termId", Message: "termId does not exist"},
		{Name: "exam_dates_check", Field: "endDate", Message: "endDate must not be before startDate"},
		{Name: "exam_class_class_fkey", Field: "classIds", Message: "classIds has a class that does not exist"},
		{Name: "exam_paper_class_excl", Field: "papers", Message: "The class has another paper at this time"},
		{Name: "exam_paper_room_excl", Field: "papers", Message: "The room is taken by another paper at this time"},
		{Name: "exam_paper_invigilator_excl", Field: "papers", Message: "The invigilator has another paper at this time"},
		{Name: "exam_paper_times_check", Field: "endTime", Message: "endTime must be after startTime"},
		{Name: "exam_paper_marks_check", Field: "passMarks", Message: "passMarks must not be above maxMarks"},
		{Name: "exam_result_student_fkey", Field: "studentId", Message: "studentId does not exist"},
		{Name: "principal_remark_key", Field: "remark", Message: "Somebody else wrote a remark just now"},
		{Name: "report_card_remark_key", Field: "remark", Message: "Somebody else wrote a remark just now"},
		{Name: "grade_scale_name_key", Field: "name", Message: "A grade scale of this name exists"},
		{Name: "grade_scale_default_key", Field: "isDefault", Message: "Another scale was made the default just now"},
		{Name: "term_name_key", Field: "name", Message: "The academic year has a term of this name"},
		{Name: "term_year_fkey", Field: "academicYearId", Message: "academicYearId does not exist"},
		{Name: "term_dates_check", Field: "endDate", Message: "endDate must not be before startDate"},
	}
}
