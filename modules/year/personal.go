package year

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "academic_year", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name"}},
		// What became of a student stays: a promotion that is asked for again is answered by it.
		{Table: "promotion", By: "undone_by created_by",
			About: map[string]string{"summary": "studentId outcome fromDivisionId toClassId toDivisionId to"}},
		// Who is left out, or named to stay or leave.
		{Table: "year_plan", By: "created_by", NoID: true, About: map[string]string{"parts": "*", "choices": "*", "made": "*"},
			Nothing: api.Reasons{api.FixedText: "state", "a hash": "plan_hash"}},
	}
}
