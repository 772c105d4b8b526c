package audit

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{
			Table: "audit_event", Section: "changes", Of: "actor_id", Where: "x.entity_id in (select unnest(@records::text[]))", NoID: true,
			Sealed: true,
			About:  map[string]string{"before": "", "after": ""}, Free: "reason", Set: map[string]string{"ip": "''"},
			Nothing: api.Reasons{api.FixedText: "actor_role action entity request_id", "an id": "entity_id"},
		},
	}
}
