package importing

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "import_run", By: "created_by undone_by", Free: "file_name", About: map[string]string{"report": ""},
			Nothing: api.Reasons{api.FixedText: "kind state", "ids of what was made": "undo"}},
		{Table: "import_change", NoID: true, About: map[string]string{"before": ""},
			Nothing: api.Reasons{api.FixedText: "table_name", "a record's id": "row_key", "a hash": "sum"}},
	}
}
