package exam

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "grade_scale", By: "created_by updated_by",
			Nothing: api.Reasons{api.NameOf: "name", "grades and from which percent they are given": "bands"}},
		{Table: "term", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name"}},
		{Table: "exam", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name", api.FixedText: "status"}},
		{Table: "exam_paper", Section: "invigilations", Part: "invigilator_id", By: "created_by updated_by",
			Nothing: api.Reasons{api.NameOf: "room"}},
		{Table: "exam_result", Section: "results", Of: "student_id", By: "created_by updated_by", Free: "remark",
			Nothing: api.Reasons{"a grade of the scale": "grade"}},
		{Table: "principal_remark", Section: "principalRemarks", Of: "student_id", By: "created_by updated_by", Free: "remark"},
		{Table: "report_card_remark", Section: "reportCardRemarks", Of: "student_id", By: "created_by updated_by", Free: "remark"},
	}
}
