package timetable

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "period", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name"}},
		{Table: "timetable_slot", Section: "lessons", Part: "teacher_id", By: "created_by", Nothing: api.Reasons{api.NameOf: "room"}},
		{Table: "substitution", Section: "substitutions", Part: "substitute_teacher_id", By: "created_by", Free: "note"},
		{Table: "teacher_absence", Section: "teacherAbsences", Of: "employee_id", NoID: true, By: "created_by"},
		{Table: "calendar_feed", Section: "calendarFeeds", Of: "user_id student_id", NoID: true, Gone: true, Hidden: "token_hash"},
	}
}
