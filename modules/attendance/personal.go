package attendance

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "holiday", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name"}},
		{Table: "attendance", Section: "attendance", Of: "student_id", By: "marked_by", Free: "remark reason",
			Nothing: api.Reasons{api.FixedText: "status source"}},
		{Table: "attendance_total", Section: "attendanceTotals", Of: "student_id", By: "created_by"},
		{Table: "lesson_register", By: "marked_by", Nothing: api.Reasons{api.NameOf: "period_name subject_name"}},
		{Table: "lesson_mark", Section: "lessonMarks", Of: "student_id", NoID: true, Free: "remark",
			Nothing: api.Reasons{api.FixedText: "status"}},
		{Table: "attendance_revision", Section: "attendanceRevisions", Of: "student_id", NoID: true, Sealed: true, By: "marked_by replaced_by",
			Free: "remark reason", Nothing: api.Reasons{api.FixedText: "status source"}},
	}
}
