package dispatch

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "dispatch_template", By: "created_by updated_by", Free: "subject body",
			Nothing: api.Reasons{api.NameOf: "name", api.FixedText: "channel"}},
		{Table: "dispatch", By: "created_by", Free: "subject body",
			Nothing: api.Reasons{api.FixedText: "channel", "classes, kinds of staff, and ids": "audience"}},
	}
}
