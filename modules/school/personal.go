package school

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Platform: true, Table: "school", Nothing: api.Reasons{api.OwnText: "code name address phone email",
			api.FixedText: "node schema_name status time_zone locale currency migration_error"}},
		{Platform: true, Table: "provisioning_step", Nothing: api.Reasons{api.FixedText: "step error"}},
		{Platform: true, Table: "provisioning_request", School: "school_id", NoID: true, Gone: true, Mention: "admin"},
		{Platform: true, Table: "spare_schema", Nothing: api.Reasons{api.FixedText: "schema_name node"}},
		{Platform: true, Table: "school_export", By: "requested_by", Nothing: api.Reasons{api.FixedText: "state sha256 error"}},
		{Platform: true, Table: "school_move", Nothing: api.Reasons{api.FixedText: "source target state error rights"}},
		{Platform: true, Table: "school_move_step", Nothing: api.Reasons{api.FixedText: "step error"}},
	}
}
