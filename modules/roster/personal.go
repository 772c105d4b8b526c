package roster

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "class", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name code"}},
		{Table: "division", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name room"}},
		{Table: "number_series", Nothing: api.Reasons{api.FixedText: "name"}},
		{
			Table: "student", Section: "student", Of: "id", By: "created_by updated_by", Contact: "phone email", Phone: "emergency_contact_phone",
			Files: "photo_file_id", Hidden: "search_text",
			Set: map[string]string{
				"first_name": "@first", "last_name": "@last", "gender": "''", "date_of_birth": "null", "blood_group": "''", "address": "''",
				"phone": "''", "email": "''", "photo_file_id": "null",
				"previous_school": "''", "medical_notes": "''", "allergies": "''", "emergency_contact_name": "''", "emergency_contact_phone": "''",
				"leaving_reason": "''", "custom_fields": impersonal(OfStudents),
				"search_text": "@search", "deleted_at": "coalesce(x.deleted_at, @now)", "erased_at": "@now", "version": "x.version + 1",
				"updated_at": "@now", "updated_by": "@by",
			},
			Free:  "address previous_school medical_notes allergies emergency_contact_name leaving_reason",
			About: map[string]string{"custom_fields": "*"},
			Nothing: api.Reasons{api.FixedText: "status leaving_status",
				"the number under which receipts and certificates stay in the accounts": "admission_number"},
		},
		{Table: "enrolment", Section: "enrolments", Of: "student_id", By: "created_by updated_by",
			Nothing: api.Reasons{api.FixedText: "outcome"}},
		{
			Table: "guardian", Section: "guardian", Of: "id user_id", By: "created_by updated_by", Contact: "phone email",
			Set: map[string]string{"first_name": "@first", "last_name": "@last", "phone": "'erased ' || @number::bigint", "email": "''",
				"occupation": "''", "custom_fields": impersonal(OfGuardians), "erased_at": "@now", "version": "x.version + 1",
				"updated_at": "@now", "updated_by": "@by"},
			About: map[string]string{"custom_fields": "*"},
		},
		{Table: "student_guardian", Section: "guardianships", Of: "student_id guardian_id", Gone: true, By: "created_by updated_by",
			Nothing: api.Reasons{api.FixedText: "relation"}},
		{
			Table: "employee", Section: "employee", Of: "id user_id", By: "created_by updated_by", Contact: "phone email", Hidden: "search_text",
			Files: "photo_file_id",
			Set: map[string]string{"first_name": "@first", "last_name": "@last", "phone": "''", "email": "''", "qualification": "''",
				"designation": "''", "photo_file_id": "null", "licence_number": "''", "licence_expiry_date": "null",
				"search_text": "@search", "erased_at": "@now", "version": "x.version + 1", "updated_at": "@now", "updated_by": "@by",
				"custom_fields": impersonal(OfEmployees)},
			About: map[string]string{"custom_fields": "*"},
			Nothing: api.Reasons{api.FixedText: "employee_type status", api.NameOf: "department",
				"the number under which they stay in counts": "employee_code"},
		},
		{Table: "teacher_assignment", Section: "assignments", Part: "user_id", By: "created_by updated_by"},
		{Table: "custom_field", By: "created_by updated_by", Nothing: api.Reasons{
			api.FixedText: "applies_to key kind", api.NameOf: "label options"}},
		{Table: "subject", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name code", api.FixedText: "type"}},
		{Table: "student_group", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name", api.FixedText: "kind"}},
		{Table: "student_group_member", Section: "groups", Of: "student_id", By: "created_by"},
		{
			Table: "certificate", Section: "certificates", Of: "student_id", By: "created_by", Free: "purpose",
			About: map[string]string{"snapshot": "*"}, Nothing: api.Reasons{api.FixedText: "kind"},
			Set: map[string]string{"snapshot": `x.snapshot || jsonb_build_object('firstName', @first::text, 'lastName', @last::text,
				'dateOfBirth', null, 'guardians', '[]'::jsonb)`},
		},
		{
			Table: "leaving_certificate", Section: "leavingCertificates", Of: "student_id", By: "created_by", Free: "reason conduct",
			About: map[string]string{"snapshot": "*"},
			Set: map[string]string{"snapshot": `x.snapshot || jsonb_build_object('firstName', @first::text, 'lastName', @last::text, 'gender',
				'', 'dateOfBirth', null, 'guardians', '[]'::jsonb, 'booksOut', '[]'::jsonb)`},
		},
	}
}
