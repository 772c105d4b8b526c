// Package roster keeps a school's people and classes: students, their guardians and
// enrolments, employees and their assignments, classes, divisions and subjects. Every other
// module may import it, and may read its tables; it imports no other module. Years are served
// by modules/year, timetables by modules/timetable, files of people by modules/importing.
package roster

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
)

// People gives a person an account to sign in with. The directory it writes to is the
// platform's, not the school's: it is called before the school's own transaction ends, and
// an entry that a rollback leaves there signs nobody in and is cleared away.
type People interface {
	Enter(ctx context.Context, school, user uuid.UUID, role api.RoleType, phone, email string) error
}

// Module serves the roster.
type Module struct {
	People People
	// Letterhead reads what certificates begin with.
	Letterhead func(api.Ctx) (paper.Letterhead, error)
	// Photo gives a photo's bytes, none for one that is gone; nil: none are printed.
	Photo func(api.Ctx, uuid.UUID) ([]byte, error)
	// Owed is what a student owes, and Loans the books they have; nil: neither is kept.
	Owed  func(api.Ctx, uuid.UUID) (int64, error)
	Loans func(api.Ctx, uuid.UUID) ([]OpenLoan, error)
	// AddRide and AddFeeHead are the parts of an admission that other modules keep. The errors
	// of both name the fields of NewRide and NewFeeHead; nil: neither is kept.
	AddRide    func(c api.Ctx, student, route, stop uuid.UUID, from api.Date) error
	AddFeeHead func(c api.Ctx, student, head uuid.UUID, option *uuid.UUID, from api.Date) error
	// GroupLessons refuses lessons of groups that cannot be held with their members; nil: there are no lessons.
	GroupLessons func(api.Ctx, ...uuid.UUID) error
}

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
		},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Names: map[string]string{
			"classId":             `select id, name from class`,
			"nextClassId":         `select id, name from class`,
			"divisionId":          `select d.id, c.name || ' ' || d.name from division d join class c on c.id = d.class_id`,
			"academicYearId":      `select id, name from academic_year`,
			"subjectId":           `select id, name from subject`,
			"studentId":           `select id, trim(first_name || ' ' || last_name) from student`,
			"employeeId":          `select id, trim(first_name || ' ' || last_name) from employee`,
			"driverId":            `select id, trim(first_name || ' ' || last_name) from employee`,
			"attendantId":         `select id, trim(first_name || ' ' || last_name) from employee`,
			"organiserId":         `select id, trim(first_name || ' ' || last_name) from employee`,
			"substituteTeacherId": `select id, trim(first_name || ' ' || last_name) from employee`,
			"classTeacherId":      `select id, trim(first_name || ' ' || last_name) from employee`,
			"guardian":            `select id, trim(first_name || ' ' || last_name) from guardian`,
			"group":               `select id, name from student_group`,
			"customField":         `select id, label from custom_field`,
			"enrolment":           `select e.id, trim(s.first_name || ' ' || s.last_name) from enrolment e join student s on s.id = e.student_id`,
		},
		NextYear: m.nextYear(),
		Scheduled: []api.Scheduled{{Name: "let-students-leave", Every: time.Hour, AtNight: true,
			School: func(_ context.Context, at api.SchoolWork) error {
				_, err := LeaveDue(at.DB, at.Today(), at.Now)
				return err
			}}},
	}
}

// routes are the endpoints of people and classes.
func (m *Module) routes() []api.Row {
	pdf := api.Gives("application/pdf")
	return api.Rows(
		api.Create("/school-admin/class/create", "class", "Add a class", createClass, api.Says("Class created")),
		api.Post("/school-admin/class/generate", "class", "Add many classes with their divisions at once, all or nothing; a dry run says which",
			generateClasses, api.Says("Classes added")),
		api.List("/school-admin/class/list", "class", "List the classes", classListing, listClasses, api.MayBeStale, api.Syncs),
		api.Get("/school-admin/class/:id", "class", "Read a class", getClass),
		api.Put("/school-admin/class/:id", "class", "Change a class", updateClass, api.Versioned),
		api.Remove("/school-admin/class/:id", "class", "Delete a class nothing refers to", deleteClass),

		api.Create("/school-admin/division/create", "division", "Add a division to a class", createDivision, api.Says("Division created")),
		api.List("/school-admin/division/list", "division", "List the divisions", divisionListing, listDivisions, api.MayBeStale,
			api.Syncs),
		api.Get("/school-admin/division/:id", "division", "Read a division", getDivision),
		api.Put("/school-admin/division/:id", "division", "Change a division", updateDivision, api.Versioned),
		api.Remove("/school-admin/division/:id", "division", "Delete a division nothing refers to", deleteDivision),

		api.Create("/school-admin/group/create", "class", "Add a group of students for a subject", createGroup, api.Says("Group created")),
		api.List("/school-admin/group/list", "class", "List the groups", groupListing, listGroups, api.MayBeStale),
		api.Get("/school-admin/group/:id", "class", "Read a group", getGroup),
		api.Put("/school-admin/group/:id", "class", "Change a group", m.updateGroup, api.Versioned),
		api.Remove("/school-admin/group/:id", "class", "Delete a group without members and lessons", deleteGroup),
		api.Get("/school-admin/group/:id/members", "class", "Who is in a group on a day", getGroupMembers),
		api.Put("/school-admin/group/:id/members", "class", "Say who is in a group from a day on, all or nothing", m.putGroupMembers),

		api.Create("/school-admin/employee/create", "employee", "Add an employee and their account", m.createEmployee,
			api.Says("Employee created"), api.SometimesFresh("Giving or changing an administrator's account")),
		api.List("/school-admin/employee/list", "employee", "List the employees", EmployeeListing, listEmployees, api.FreshFile,
			api.MayBeStale, api.Syncs, api.MemberColumns("customFields", customColumns(OfEmployees))),
		api.Get("/school-admin/employee/id-cards", "employee", "ID cards of employees in one file to print", m.printEmployeeCards, pdf,
			api.MayTake(time.Minute)),
		api.Get("/school-admin/employee/:id", "employee", "Read an employee", getEmployee),
		api.Put("/school-admin/employee/:id", "employee", "Change an employee; their account follows", m.updateEmployee, api.Versioned,
			api.SometimesFresh("Giving or changing an administrator's account")),
		api.Remove("/school-admin/employee/:id", "employee", "Deactivate an employee and sign them out", m.deleteEmployee,
			api.SometimesFresh("Giving or changing an administrator's account")),
		api.Get("/school-admin/employee/:id/assignments", "employee", "What a teacher is assigned to in a year", getAssignments),
		api.Put("/school-admin/employee/:id/assignments", "employee", "Replace a teacher's assignments of a year", putAssignments),

		api.Create("/school-admin/subject/create", "subject", "Add a subject", createSubject, api.Says("Subject created")),
		api.List("/school-admin/subject/list", "subject", "List the subjects", subjectListing, listSubjects, api.MayBeStale, api.Syncs),
		api.Get("/school-admin/subject/class-subjects", "subject", "Which subjects a class takes", getClassSubjects),
		api.Put("/school-admin/subject/class-subjects", "subject", "Say which subjects a class takes", putClassSubjects),
		api.Get("/school-admin/subject/:id", "subject", "Read a subject", getSubject),
		api.Put("/school-admin/subject/:id", "subject", "Change a subject", updateSubject, api.Versioned),
		api.Remove("/school-admin/subject/:id", "subject", "Delete a subject nothing refers to", deleteSubject),
		api.List("/teacher/subject/list", "subject", "The subjects I teach", subjectListing, mySubjects, api.MayBeStale, api.Syncs),

		api.Create("/school-admin/custom-field/create", "setting", "Define a field of students, guardians or employees", createCustomField,
			api.Says("Custom field added"), api.MayFail(errTooManyInUse, errTooManyFields)),
		api.List("/school-admin/custom-field/list", "setting", "List the custom fields of the records one may read", customFieldListing,
			listCustomFields, api.OrReads("student", "employee"), api.MayBeStale),
		api.Get("/school-admin/custom-field/:id", "setting", "Read a custom field", getCustomField),
		api.Put("/school-admin/custom-field/:id", "setting", "Rename a custom field, order, retire it or put it back", updateCustomField,
			api.Versioned, api.MayFail(errTooManyInUse)),

		api.Create("/school-admin/student/create", "student", "Admit a student, with class, guardians, bus and optional fees as far as known",
			m.createStudent,
			api.Says("Student created")),
		api.List("/school-admin/student/list", "student", "List the students and where they sit today", StudentListing, listStudents,
			api.FreshFile, api.MayBeStale, api.Syncs, api.MemberColumns("customFields", customColumns(OfStudents))),
		api.Get("/school-admin/student/id-cards", "student", "ID cards of a division or a student in one file to print", m.printStudentCards,
			pdf, api.MayTake(5*time.Minute), api.MayFail(errNotInClass)),
		api.Get("/school-admin/student/:id", "student", "Read a student, their guardians and enrolments", getStudent),
		api.Put("/school-admin/student/:id", "student", "Change a student, or move them from today on", updateStudent, api.Versioned),
		api.Remove("/school-admin/student/:id", "student", "Remove a student; one with history is kept and hidden", deleteStudent),
		api.Post("/school-admin/student/move", "student", "Move several students to a division from today on, all or nobody", moveStudents,
			api.Says("Students moved")),
		api.Get("/school-admin/student/:id/groups", "student", "The groups of a student's division, and which the student is in",
			getStudentGroups),
		api.Put("/school-admin/student/:id/groups", "student", "Say which groups a student is in from a day on, all or nothing",
			m.putStudentGroups),
		api.Get("/school-admin/student/:id/timeline", "student", "What happened to a student at the school", studentTimeline),
		api.Post("/school-admin/student/:id/readmit", "student", "Take back a student who has left; what was stays", readmitStudent,
			api.Says("Student readmitted")),
		api.Post("/school-admin/student/:id/transfer", "student", "Let a student leave and certify it", m.transferStudent,
			api.Says("Leaving certificate issued")),
		api.Get("/school-admin/student/:id/clearance", "student", "What a student owes and has borrowed, to see before they leave",
			m.getClearance),
		api.Get("/school-admin/student/:id/leaving-certificate", "student", "Read a leaving certificate, or print it", m.leavingCertificate,
			pdf),
		api.Create("/school-admin/student/bonafide/create", "student", "Certify that a student is at the school", issueBonafide,
			api.Says("Bonafide certificate issued")),
		api.List("/school-admin/student/bonafide/list", "student", "List the bonafide certificates", CertificateListing, listBonafides),
		api.Get("/school-admin/student/bonafide/:id", "student", "Read a bonafide certificate, or print it", m.getBonafide, pdf),
		api.Create("/school-admin/student/:id/guardians", "student", "Add a guardian, who can sign in at once", m.addGuardian,
			api.Says("Guardian added")),
		api.Put("/school-admin/student/:id/guardians/:guardianId", "student", "Change a guardian and what they may do", m.updateGuardian),
		api.Remove("/school-admin/student/:id/guardians/:guardianId", "student", "Unlink a guardian at once", removeGuardian),
		api.Get("/school-admin/division/:id/students", "student", "Who sits in a division on a day", divisionStudents, api.MayBeStale),
		api.Get("/school-admin/division/:id/class-list", "student", "A division's class list to print, with empty columns to tick",
			m.printClassList, pdf),
		api.List("/teacher/class/list", "class", "The divisions I teach this year", taughtListing, taughtClasses, api.MayBeStale, api.Syncs),
		api.Get("/teacher/class/:divisionId/students", "class", "Who sits in a division of mine on a day", teachersStudents,
			api.About(teachersDivision), api.MayBeStale, api.SyncsField[teachersRosterOn]("students", nil)),
		api.Query("/parent/student/list", "student", "List my children", listChildren, api.MayBeStale,
			api.SyncsField[childrenIn]("students", nil)),
		api.Query("/parent/student/get-students", "student", "List my children", listChildren, api.MayBeStale,
			api.SyncsField[childrenIn]("students", nil)),
		api.List("/parent/student/certificate/list", "student", "The bonafide and leaving certificates of my children", childCertificateListing,
			listChildCertificates),
		api.Get("/parent/student/certificate/:id", "student", "A certificate of a child of mine to print", m.printChildCertificate, pdf),
		api.Get("/parent/student/:id", "student", "Read a child of mine", getChild, api.MayBeStale),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "class_name_key", Field: "name", Message: "A class of this name exists"},
		{Name: "class_next_class_fkey", Field: "nextClassId", Message: "nextClassId does not exist"},
		{Name: "class_next_class_check", Field: "nextClassId", Message: "A class cannot follow itself"},
		{Name: "class_grade_scale_fkey", Field: "gradeScaleId", Message: "gradeScaleId does not exist"},
		{Name: "division_name_key", Field: "name", Message: "The class has a division of this name"},
		{Name: "division_class_fkey", Field: "classId", Message: "classId does not exist"},
		{Name: "student_group_name_key", Field: "name", Message: "A group of this name exists"},
		{Name: "custom_field_label_key", Field: "label", Message: "A field has this name; if it is retired, put it back"},
		{Name: "student_admission_number_key", Field: "admissionNumber", Message: "A student has this admission number"},
		{Name: "student_class_fkey", Field: "classId", Message: "classId does not exist"},
		{Name: "student_photo_fkey", Field: "photoFileId", Message: "photoFileId does not exist"},
		{Name: "enrolment_roll_excl", Field: "rollNumber", Message: "Another student of the division has this roll number"},
		{Name: "enrolment_overlap_excl", Field: "divisionId", Message: "The student is enrolled elsewhere on these days"},
		{Name: "enrolment_open_key", Field: "divisionId", Message: "The student is enrolled elsewhere already"},
		{Name: "enrolment_dates_check", Field: "endDate", Message: "An enrolment cannot end before it begins"},
		{Name: "guardian_phone_key", Field: "phone", Message: "Another guardian has this phone"},
		{Name: "student_guardian_key", Field: "phone", Message: "This is a guardian of the student already"},
		{Name: "school_setting_admission_pattern_check", Field: "admissionNumberPattern",
			Message: "admissionNumberPattern must have one number like {0000}, and may have {year} and {yy}"},
		{Name: "app_user_email_key", Field: "email", Message: "Another account signs in with this e-mail"},
		{Name: "employee_photo_fkey", Field: "photoFileId", Message: "photoFileId does not exist"},
		{Name: "employee_code_key", Field: "employeeCode", Message: "An employee has this code"},
		{Name: "teacher_assignment_class_teacher_key", Field: "isClassTeacher", Message: "The division has a class teacher"},
		{Name: "subject_code_key", Field: "code", Message: "A subject has this code"},
		{Name: "subject_marks_check", Field: "passMarks", Message: "passMarks must not be above maxMarks"},
	}
}
