package leave

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "leave", Section: "leave", Of: "student_id employee_id created_by", By: "decided_by updated_by", Free: "reason decision_note",
			Nothing: api.Reasons{api.FixedText: "applicant_type leave_type status"}},
		{Table: "leave_entitlement", By: "updated_by", Nothing: api.Reasons{api.FixedText: "leave_type"}},
	}
}
