package nurse

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "nurse_visit", Section: "nurseVisits", Of: "student_id", By: "created_by updated_by", Free: "complaint given"},
	}
}
