package platform

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{
			Platform: true, Table: "audit_event", School: "school_id", Section: "platformChanges", By: "actor_id",
			Where: "x.entity_id in (select a.id::text from account a where a.user_id = any(@ids) and a.school_id = @school)", NoID: true,
			About: map[string]string{"before": "", "after": ""}, Free: "reason",
			Nothing: api.Reasons{api.FixedText: "actor_role action entity request_id", "an id": "entity_id", api.Operator: "ip"},
		},
		{Platform: true, Table: "idempotency", By: "actor_id", NoID: true, Gone: true, Mention: "answer key",
			Nothing: api.Reasons{api.FixedText: "row_name", "a hash": "body_hash"}},
		{Platform: true, Table: "installation", Nothing: api.Reasons{"of the installation's secret": "secret_mac"}},
		{Platform: true, Table: "migration", Nothing: api.Reasons{api.FixedText: "name"}},
		{Platform: true, Table: "migration_run", By: "asked_by", Nothing: api.Reasons{api.FixedText: "state error"}},
		// The queue's own; a job's arguments are ids of schools.
		{Platform: true, Table: "river_job",
			Nothing: api.Reasons{api.FixedText: "args attempted_by errors kind metadata queue tags unique_key"}},
		{Platform: true, Table: "river_leader", Nothing: api.Reasons{api.FixedText: "leader_id name"}},
		{Platform: true, Table: "river_migration", Nothing: api.Reasons{api.FixedText: "line"}},
		{Platform: true, Table: "river_notification", Nothing: api.Reasons{api.FixedText: "payload topic"}},
		{Platform: true, Table: "river_queue", Nothing: api.Reasons{api.FixedText: "metadata name"}},
	}
}
