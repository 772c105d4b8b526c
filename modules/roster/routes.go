// Package roster holds the school's frame and people: academic years, classes and
// divisions. Every other module may speak of them; it speaks of no other module.
package roster

import (
	"context"
	"time"

	"homeroom/api"
)

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name: "roster",
		Permissions: []api.Permission{
			{Key: "student", Title: "Students", Teacher: "r", Parent: "r", Driver: "r"},
			{Key: "employee", Title: "Employees"},
			{Key: "class", Title: "Classes", Teacher: "r"},
			{Key: "division", Title: "Divisions", Teacher: "r"},
			{Key: "subject", Title: "Subjects", Teacher: "r"},
			{Key: "timetable", Title: "Timetable", Teacher: "r", Parent: "r"},
			{Key: "academic-year", Title: "Academic years"},
		},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Scheduled: []api.Scheduled{{Name: "let-students-leave", Every: time.Hour, AtNight: true, School: func(_ context.Context, at api.SchoolWork) error {
			_, err := LeaveDue(at.DB, at.Today(), at.Now)
			return err
		}}},
	}
}

// routes are the endpoints of academic years, classes and divisions.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/academic-year/create", "academic-year", "Add an academic year", createYear, api.Says("Academic year created")),
		api.List("/school-admin/academic-year/list", "academic-year", "List the academic years", yearListing, listYears),
		api.Get("/school-admin/academic-year/:id", "academic-year", "Read an academic year", getYear),
		api.Put("/school-admin/academic-year/:id", "academic-year", "Change an academic year", updateYear, api.Versioned),
		api.Remove("/school-admin/academic-year/:id", "academic-year", "Delete an academic year nothing refers to", deleteYear),
		api.Post("/school-admin/academic-year/:id/activate", "academic-year", "Make a year the school's active one", activateYear, api.Says("Academic year activated")),

		api.Create("/school-admin/class/create", "class", "Add a class", createClass, api.Says("Class created")),
		api.List("/school-admin/class/list", "class", "List the classes", classListing, listClasses),
		api.Get("/school-admin/class/:id", "class", "Read a class", getClass),
		api.Put("/school-admin/class/:id", "class", "Change a class", updateClass, api.Versioned),
		api.Remove("/school-admin/class/:id", "class", "Delete a class nothing refers to", deleteClass),

		api.Create("/school-admin/division/create", "division", "Add a division to a class", createDivision, api.Says("Division created")),
		api.List("/school-admin/division/list", "division", "List the divisions", divisionListing, listDivisions),
		api.Get("/school-admin/division/:id", "division", "Read a division", getDivision),
		api.Put("/school-admin/division/:id", "division", "Change a division", updateDivision, api.Versioned),
		api.Remove("/school-admin/division/:id", "division", "Delete a division nothing refers to", deleteDivision),

		api.Upload("/school-admin/student/import", "student", "Import students with guardians and enrolments from a CSV file", m.importStudents, api.Says("Import read")),
		api.Get("/school-admin/student/import/:id", "student", "How far an import of students is, or how it ended", getImport("STUDENT")),
		api.Export("/school-admin/student/export", "student", "The students of a list as a CSV file that can be imported", studentListing, exportStudents, api.Fresh),
		api.Post("/school-admin/student/promote", "student", "Take a class into the next year; a dry run says who goes where", promote),
		api.Post("/school-admin/student/promote/:id/undo", "student", "Take a promotion back, until the new year starts", undoPromotion, api.Says("Promotion undone")),

		api.Upload("/school-admin/employee/import", "employee", "Import teachers, drivers and support staff from a CSV file", m.importEmployees, api.Says("Import read"), api.SometimesFresh("Giving or changing an administrator's account")),
		api.Get("/school-admin/employee/import/:id", "employee", "How far an import of employees is, or how it ended", getImport("EMPLOYEE")),
		api.Export("/school-admin/employee/export", "employee", "The employees of a list as a CSV file that can be imported", employeeListing, exportEmployees, api.Fresh),
		api.Create("/school-admin/employee/create", "employee", "Add an employee and their account", m.createEmployee, api.Says("Employee created"), api.SometimesFresh("Giving or changing an administrator's account")),
		api.List("/school-admin/employee/list", "employee", "List the employees", employeeListing, listEmployees),
		api.Get("/school-admin/employee/:id", "employee", "Read an employee", getEmployee),
		api.Put("/school-admin/employee/:id", "employee", "Change an employee; their account follows", m.updateEmployee, api.Versioned, api.SometimesFresh("Giving or changing an administrator's account")),
		api.Remove("/school-admin/employee/:id", "employee", "Deactivate an employee and sign them out", m.deleteEmployee, api.SometimesFresh("Giving or changing an administrator's account")),
		api.Get("/school-admin/employee/:id/assignments", "employee", "What a teacher is assigned to in a year", getAssignments),
		api.Put("/school-admin/employee/:id/assignments", "employee", "Replace a teacher's assignments of a year", putAssignments),

		api.Create("/school-admin/subject/create", "subject", "Add a subject", createSubject, api.Says("Subject created")),
		api.List("/school-admin/subject/list", "subject", "List the subjects", subjectListing, listSubjects),
		api.Get("/school-admin/subject/class-subjects", "subject", "Which subjects a class takes", getClassSubjects),
		api.Put("/school-admin/subject/class-subjects", "subject", "Say which subjects a class takes", putClassSubjects),
		api.Get("/school-admin/subject/:id", "subject", "Read a subject", getSubject),
		api.Put("/school-admin/subject/:id", "subject", "Change a subject", updateSubject, api.Versioned),
		api.Remove("/school-admin/subject/:id", "subject", "Delete a subject nothing refers to", deleteSubject),
		api.List("/teacher/subject/list", "subject", "The subjects I teach", subjectListing, mySubjects),

		api.Create("/school-admin/timetable/period/create", "timetable", "Add a period of the day", createPeriod, api.Says("Period created")),
		api.List("/school-admin/timetable/period/list", "timetable", "List the periods", periodListing, listPeriods),
		api.Get("/school-admin/timetable/period/:id", "timetable", "Read a period", getPeriod),
		api.Put("/school-admin/timetable/period/:id", "timetable", "Change a period; its lessons move with it", updatePeriod, api.Versioned),
		api.Remove("/school-admin/timetable/period/:id", "timetable", "Delete a period without lessons", deletePeriod),
		api.Get("/school-admin/timetable/division/:divisionId", "timetable", "A division's week", getDivisionWeek),
		api.Put("/school-admin/timetable/division/:divisionId", "timetable", "Set a division's whole week, all or nothing", putDivisionWeek),
		api.Get("/school-admin/timetable/teacher/:employeeId", "timetable", "A teacher's week", getTeacherWeek),
		api.Create("/school-admin/timetable/substitution", "timetable", "Give a lesson to another teacher for a day", substitute, api.Says("Substitution saved")),
		api.List("/school-admin/timetable/substitution/list", "timetable", "List the substitutions", substitutionListing, listSubstitutions),
		api.Remove("/school-admin/timetable/substitution/:id", "timetable", "Take a substitution back", deleteSubstitution),
		api.Get("/teacher/timetable/mine", "timetable", "My lessons of a day, with substitutions, and my week", myDay),
		api.Get("/parent/timetable/get", "timetable", "A child's lessons of a day, and their week", childDay),
		api.Post("/teacher/timetable/feed", "timetable", "Make a secret calendar address of my timetable", m.makeTeacherFeed, api.Needs(api.Read), api.OpenInEvaluationMode, api.NoAudit),
		api.Remove("/teacher/timetable/feed", "timetable", "End my calendar address", endTeacherFeed, api.Needs(api.Read), api.OpenInEvaluationMode, api.NoAudit),
		api.Post("/parent/timetable/feed", "timetable", "Make a secret calendar address of a child's timetable", m.makeChildFeed, api.Needs(api.Read), api.OpenInEvaluationMode, api.NoAudit),
		api.Remove("/parent/timetable/feed/:studentId", "timetable", "End a child's calendar address", endChildFeed, api.Needs(api.Read), api.OpenInEvaluationMode, api.NoAudit),
		api.Open("GET", "/calendar/:token", "The timetable as a calendar, by its secret address", api.Read, m.serveFeed, api.Limit(api.LimitRead), api.Gives("text/calendar")),

		api.Create("/school-admin/student/create", "student", "Admit a student, with a place and guardians if they are known", m.createStudent, api.Says("Student created")),
		api.List("/school-admin/student/list", "student", "List the students and where they sit today", studentListing, listStudents),
		api.Get("/school-admin/student/:id", "student", "Read a student, their guardians and enrolments", getStudent),
		api.Put("/school-admin/student/:id", "student", "Change a student, or move them from today on", updateStudent, api.Versioned),
		api.Remove("/school-admin/student/:id", "student", "Remove a student; one with history stays in the books", deleteStudent),
		api.Get("/school-admin/student/:id/timeline", "student", "What happened to a student at the school", studentTimeline),
		api.Post("/school-admin/student/:id/readmit", "student", "Take back a student who has left; what was stays", readmitStudent, api.Says("Student readmitted")),
		api.Post("/school-admin/student/:id/transfer", "student", "Let a student leave and certify it", transferStudent, api.Says("Leaving certificate issued")),
		api.Get("/school-admin/student/:id/leaving-certificate", "student", "Read a leaving certificate, or print it", m.leavingCertificate, api.Gives("application/pdf")),
		api.Create("/school-admin/student/:id/guardians", "student", "Add a guardian, who can sign in at once", m.addGuardian, api.Says("Guardian added")),
		api.Put("/school-admin/student/:id/guardians/:guardianId", "student", "Change a guardian and what they may do", m.updateGuardian),
		api.Remove("/school-admin/student/:id/guardians/:guardianId", "student", "Unlink a guardian at once", removeGuardian),
		api.Get("/school-admin/division/:id/students", "student", "Who sits in a division on a day", divisionStudents),
		api.List("/teacher/class/list", "class", "The divisions I teach this year", taughtListing, taughtClasses),
		api.Get("/teacher/class/:divisionId/students", "class", "Who sits in a division of mine on a day", teachersStudents, api.About(teachersDivision)),
		api.Query("/parent/student/list", "student", "List my children", listChildren),
		api.Query("/parent/student/get-students", "student", "List my children", listChildren),
		api.Get("/parent/student/:id", "student", "Read a child of mine", getChild),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "academic_year_name_key", Field: "name", Message: "An academic year of this name exists"},
		{Name: "academic_year_overlap_excl", Field: "startDate", Message: "These dates overlap another academic year"},
		{Name: "academic_year_dates_check", Field: "endDate", Message: "endDate must be after startDate"},
		{Name: "class_name_key", Field: "name", Message: "A class of this name exists"},
		{Name: "class_next_class_fkey", Field: "nextClassId", Message: "nextClassId names no class"},
		{Name: "class_next_class_check", Field: "nextClassId", Message: "A class cannot follow itself"},
		{Name: "class_grade_scale_fkey", Field: "gradeScaleId", Message: "gradeScaleId names no grade scale"},
		{Name: "division_name_key", Field: "name", Message: "The class has a division of this name"},
		{Name: "division_class_fkey", Field: "classId", Message: "classId names no class"},
		{Name: "student_admission_number_key", Field: "admissionNumber", Message: "A student has this admission number"},
		{Name: "student_class_fkey", Field: "classId", Message: "classId names no class"},
		{Name: "student_photo_fkey", Field: "photoFileId", Message: "photoFileId names no file"},
		{Name: "enrolment_roll_excl", Field: "rollNumber", Message: "Another student of the division has this roll number"},
		{Name: "enrolment_overlap_excl", Field: "divisionId", Message: "The student is enrolled elsewhere on these days"},
		{Name: "enrolment_open_key", Field: "divisionId", Message: "The student is enrolled elsewhere already"},
		{Name: "enrolment_dates_check", Field: "endDate", Message: "An enrolment cannot end before it begins"},
		{Name: "guardian_phone_key", Field: "phone", Message: "Another guardian has this phone"},
		{Name: "student_guardian_key", Field: "phone", Message: "This is a guardian of the student already"},
		{Name: "school_setting_admission_pattern_check", Field: "admissionNumberPattern", Message: "admissionNumberPattern must have one number like {0000}, and may have {year} and {yy}"},
		{Name: "app_user_email_key", Field: "email", Message: "Another account signs in with this e-mail"},
		{Name: "employee_code_key", Field: "employeeCode", Message: "An employee has this code"},
		{Name: "teacher_assignment_class_teacher_key", Field: "isClassTeacher", Message: "The division has a class teacher"},
		{Name: "subject_code_key", Field: "code", Message: "A subject has this code"},
		{Name: "subject_marks_check", Field: "passMarks", Message: "passMarks must not be above maxMarks"},
		{Name: "period_name_key", Field: "name", Message: "A period of this name exists"},
		{Name: "period_times_check", Field: "endTime", Message: "endTime must be after startTime"},
		{Name: "timetable_slot_division_key", Field: "slots", Message: "The division has a lesson at this time"},
		{Name: "timetable_slot_teacher_key", Field: "slots", Message: "The teacher has a lesson at this time"},
		{Name: "timetable_slot_room_key", Field: "slots", Message: "The room is taken at this time"},
	}
}
