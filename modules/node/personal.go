package node

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Platform: true, Table: "node", Nothing: api.Reasons{"a database server": "name url pool_url standby_url state identity"}},
	}
}
