package message

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "thread", Section: "threads", Of: "student_id created_by", Free: "subject"},
		{Table: "thread_participant", Section: "threadParticipations", Part: "user_id", NoID: true},
		{Table: "message", Section: "messages", Of: "sender_id",
			Where: "x.thread_id in (select t.id from thread t where t.student_id = any(@ids))", Free: "body"},
	}
}
