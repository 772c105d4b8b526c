package importing

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "import_run", By: "created_by", Free: "file_name", About: map[string]string{"report": ""},
			Nothing: api.Reasons{api.FixedText: "kind state"}},
	}
}
