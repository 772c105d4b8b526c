package transport

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "bus", Section: "buses", Part: "driver_id attendant_id", By: "created_by updated_by",
			Nothing: api.Reasons{api.NameOf: "bus_number registration_number", api.FixedText: "status"}},
		{Table: "bus_substitute", Section: "busSubstitutions", Part: "driver_id", By: "created_by updated_by", Free: "note"},
		{Table: "route", By: "created_by updated_by", Nothing: api.Reasons{api.NameOf: "name", api.FixedText: "direction"}},
		{Table: "stop", Free: "name"},
		{Table: "ride", Section: "rides", Of: "student_id", By: "created_by", Nothing: api.Reasons{api.FixedText: "direction"}},
		{Table: "not_riding", Section: "notRiding", Of: "student_id created_by", Gone: true, Free: "reason",
			Nothing: api.Reasons{api.FixedText: "trip_type"}},
		{Table: "trip", Section: "trips", Part: "driver_id", By: "created_by updated_by", Free: "cancel_reason",
			Nothing: api.Reasons{api.FixedText: "trip_type status"}},
		{Table: "boarding", Section: "boardings", Of: "student_id", Free: "reason", Nothing: api.Reasons{api.FixedText: "status preset"}},
		{Table: "boarding_tap", Section: "boardingTaps", Of: "student_id", NoID: true, By: "tapped_by",
			Nothing: api.Reasons{api.FixedText: "client_event_id status"}},
		{
			Table: "incident", Section: "incidents", Of: "reported_by", By: "released_by resolved_by created_by updated_by",
			Free:    "description resolution",
			Set:     map[string]string{"lat": "null", "lng": "null"},
			Nothing: api.Reasons{api.FixedText: "type severity release"},
		},
	}
}
