package announcement

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "announcement", By: "created_by updated_by", Free: "title body", Nothing: api.Reasons{api.FixedText: "target_audience status"}},
	}
}
