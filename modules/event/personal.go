package event

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "event", Section: "eventsOrganised", Part: "organiser_id", By: "created_by updated_by",
			Free: "title description venue cancel_reason", Nothing: api.Reasons{api.FixedText: "target_audience"}},
		{Table: "event_sign_up", Section: "eventSignUps", Of: "student_id created_by"},
	}
}
