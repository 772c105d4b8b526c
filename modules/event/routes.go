// Package event holds the school's co-curricular events: when they are, whom they are
// for and who comes. Their state follows from the clock; only a cancellation is kept.
package event

import "homeroom/api"

// Describe is everything about the module.
func Describe() api.Module {
	return api.Module{
		Name:        "event",
		Permissions: []api.Permission{{Key: "event", Title: "Events", Teacher: "rw", Parent: "r"}},
		Rows:        routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Names:       map[string]string{"event": `select id, title from event`},
	}
}

// routes are the endpoints of events.
func routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/event/create", "event", "Add an event", createEvent, api.Says("Event created")),
		api.List("/school-admin/event/list", "event", "List the events", eventListing, listEvents, api.MayBeStale, api.Syncs),
		api.Get("/school-admin/event/:id", "event", "Read an event", getEvent),
		api.Put("/school-admin/event/:id", "event", "Change an event, or cancel it", updateEvent, api.Versioned),
		api.Remove("/school-admin/event/:id", "event", "Delete an event nobody is signed up for", deleteEvent),
		api.Get("/school-admin/event/:id/sign-ups", "event", "Who is signed up for an event", listSignUps),

		api.Get("/teacher/co-curricular/get-events", "event", "The school's events", getEvents, api.MayBeStale,
			api.SyncsField[eventsRequest]("events", nil)),
		api.Create("/teacher/co-curricular/add-event", "event", "Add an event", createEvent, api.Says("Event created")),
		api.Put("/teacher/co-curricular/update-event", "event", "Change an event, or cancel it", teachersUpdate, api.Versioned),
		// The teachers' app offers it to who may write events.
		api.Remove("/teacher/co-curricular/delete-event/:id", "event", "Delete an event nobody is signed up for", deleteEvent,
			api.Needs(api.Write)),

		api.List("/parent/event/list", "event", "The events my children may come to", childListing, childEvents, api.MayBeStale,
			api.Syncs),
		// Who may read an event may bring a child to it.
		api.Post("/parent/event/sign-up", "event", "Sign a child up for an event", signUp, api.Needs(api.Read), api.Says("Signed up")),
		api.Post("/parent/event/cancel-sign-up", "event", "Take a child's sign-up back", cancelSignUp, api.Needs(api.Read),
			api.Says("Sign-up cancelled")),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "event_times_check", Field: "endTime", Message: "endTime must be after startTime"},
		{Name: "event_full_check", Field: "capacity", Message: "More are signed up than capacity"},
		{Name: "event_organiser_fkey", Field: "organiserId", Message: "organiserId is no employee"},
		{Name: "event_class_class_fkey", Field: "classIds", Message: "classIds has a class that does not exist"},
		{Name: "event_sign_up_key", Field: "studentId", Message: "The child is signed up already"},
	}
}
