package rbac

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "role", Nothing: api.Reasons{api.NameOf: "name", api.FixedText: "type"}},
		{Table: "module", Nothing: api.Reasons{api.FixedText: "name display_name"}},
	}
}
