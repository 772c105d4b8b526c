// Package transport keeps the school's buses: routes and who rides them, trips and who
// is aboard, and what went wrong. It decides who may see a bus. Where a bus is and when it
// will be there is the package live's; what is to be shown, others carry.
package transport

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/transport/live"
)

// Absences says who is on approved leave, so that the bus does not wait for them. It is
// another module's; nil is nobody.
type Absences interface {
	OnLeave(c api.Ctx, day api.Date, students []uuid.UUID) ([]uuid.UUID, error)
}

// Register says who of these students is marked absent in class on a day. It is another
// module's; nil is nobody.
type Register interface {
	Absent(db *gorm.DB, day api.Date, students []uuid.UUID) ([]uuid.UUID, error)
}

// Module serves transport.
type Module struct {
	Absences Absences
	Register Register
	Schools  api.Schools // asked by listeners in which language a school gets its notices
	// DaysOff reads the holidays.
	DaysOff DaysOff
	Tracker *live.Tracker
	// Publish sends news to those who watch a bus; of a student's boarding, only to the
	// office and teachers, the trip's driver and the student's own guardians.
	Publish func(ctx context.Context, school uuid.UUID, n News) error
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "transport",
		Permissions: []api.Permission{{Key: "transport", Title: "Transport", Parent: "r", Driver: "rw"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Listen:      m.listen,
		Personal:    personal(),
		Examples:    examples(),
		Names: map[string]string{
			"busId":   `select id, bus_number from bus`,
			"routeId": `select id, name from route`,
			"stop":    `select id, name from stop`,
			"trip":    `select t.id, r.name from trip t join route r on r.id = t.route_id`,
		},
		Scheduled: []api.Scheduled{{Name: "thin-trails", Every: 24 * time.Hour, School: func(_ context.Context, at api.SchoolWork) error {
			return live.ThinTrails(at.DB, at.Today())
		}}},
	}
}

// routes are the endpoints of buses, routes, trips, boarding and tracking.
func (m *Module) routes() []api.Row {
	return api.Rows(
		routeFiles().Rows(),
		m.riderFiles().Rows(),
		api.Create("/school-admin/transport/bus/create", "transport", "Add a bus", createBus, api.Says("Bus created")),
		api.List("/school-admin/transport/bus/list", "transport", "List the buses", busListing, listBuses, api.MayBeStale),
		api.Get("/school-admin/transport/bus/:id", "transport", "Read a bus, its routes and substitute drivers", getBus),
		api.Put("/school-admin/transport/bus/:id", "transport", "Change a bus", updateBus, api.Versioned),
		api.Remove("/school-admin/transport/bus/:id", "transport", "Delete a bus nothing refers to", deleteBus),
		api.Put("/school-admin/transport/bus/:id/driver", "transport", "Say who drives a bus, for good or for some days", assignDriver,
			api.Says("Driver assigned")),
		api.Remove("/school-admin/transport/substitute/:id", "transport", "Take a substitute driver back", deleteSubstitute),

		api.Create("/school-admin/transport/route/create", "transport", "Add a route with its stops in order", createRoute,
			api.Says("Route created")),
		api.List("/school-admin/transport/route/list", "transport", "List the routes", routeListing, listRoutes, api.MayBeStale),
		api.Get("/school-admin/transport/route/:id", "transport", "Read a route, its stops and today's riders", getRoute),
		api.Put("/school-admin/transport/route/:id", "transport", "Change a route; given stops replace the present ones", updateRoute,
			api.Versioned),
		api.Remove("/school-admin/transport/route/:id", "transport", "Delete a route without trips", deleteRoute),
		api.Put("/school-admin/transport/route/:id/students", "transport", "Say who rides a route from a day on, and at which stop", m.putRiders,
			api.Says("Riders saved")),

		api.Create("/school-admin/transport/trip/schedule", "transport", "Schedule a trip for a day, or on weekdays of some weeks",
			m.scheduleTrips, api.Says("Scheduled")),
		api.List("/school-admin/transport/trip/list", "transport", "List the trips", tripListing, listTrips),
		api.Get("/school-admin/transport/trip/:id", "transport", "Read a trip, its riders and stops", m.getTrip),
		api.Put("/school-admin/transport/trip/:id", "transport", "Change the bus, driver or time of a trip that has not started", m.updateTrip,
			api.Versioned),
		api.Post("/school-admin/transport/trip/:id/cancel", "transport", "Cancel a trip that has not started, or is paused", m.cancelTrip,
			api.Says("Trip cancelled")),
		api.Post("/school-admin/transport/trip/:id/driver", "transport", "Hand a trip that is under way over to another driver", m.handOver,
			api.Says("Trip handed over")),
		api.Post("/school-admin/transport/trip/:id/rider", "transport", "Add a rider to a trip that is under way, for this trip alone",
			m.addRider, api.Says("Rider added")),
		api.Get("/school-admin/transport/trip/:id/trail", "transport", "Where a bus was during a trip", m.adminTrail),
		api.List("/school-admin/transport/incident/list", "transport", "List the incidents", incidentListing, listIncidents),
		api.Post("/school-admin/transport/incident/:id/resolve", "transport", "Say how an incident ended", m.resolveAnyIncident,
			api.Says("Incident resolved")),
		api.Post("/school-admin/transport/incident/:id/release", "transport", "Tell the riders of an incident that waits for the office",
			m.releaseIncident, api.Says("Riders notified")),
		api.Post("/school-admin/transport/incident/:id/discard", "transport", "Keep an incident that waits for the office from the riders",
			m.discardIncident, api.Says("Incident discarded")),
		api.Get("/school-admin/transport/live", "transport", "Every bus that drives today: its trip, stops, riders and what went wrong", fleet),

		api.Get("/driver/bus/mine", "transport", "The buses I drive today", driversBuses),
		api.List("/driver/trip/list", "transport", "My trips of today, and one that is still open", driversTripListing, driversTrips),
		api.Get("/driver/trip/:id", "transport", "Read a trip of mine, its riders and stops", m.driversTrip),
		api.Get("/driver/trip/:id/contacts", "student", "Whom to call for the riders of a trip of mine that is under way", tripContacts,
			api.MayFail(errNotUnderWay("scheduled"))),
		api.Get("/driver/trip/:id/colleagues", "transport", "The drivers who may take a trip of mine over", colleagues),
		api.Post("/driver/trip/:id/hand-over", "transport", "Hand a trip of mine that is under way over to another driver", m.handOverMine,
			api.Says("Trip handed over")),
		api.Post("/driver/bus-tracking/trips/:tripId/start", "transport", "Start a trip; starting it twice is starting it once", m.startTrip,
			api.Says("Trip started")),
		api.Post("/driver/bus-tracking/trips/:tripId/pause", "transport", "Pause a trip", m.pauseTrip, api.Says("Trip paused")),
		api.Post("/driver/bus-tracking/trips/:tripId/resume", "transport", "Go on with a paused trip", m.resumeTrip, api.Says("Trip resumed")),
		api.Post("/driver/bus-tracking/trips/:tripId/end", "transport", "End a trip, once nobody is waiting or aboard", m.endTrip,
			api.Says("Trip ended")),
		api.Post("/driver/bus-tracking/trips/:tripId/locations", "transport", "Send positions that could not be sent while driving",
			m.postLocations, api.Limit(api.LimitRide), api.Says("Positions read")),
		api.Get("/driver/student/list", "student", "The riders of a trip of mine", m.driversRiders),
		api.Post("/driver/student/board", "transport", "Say that a rider boarded, alighted, is absent or did not show up", m.board,
			api.Limit(api.LimitRide)),
		api.Post("/driver/student/board-many", "transport", "Send taps that could not be sent one by one; in any order, any number of times",
			m.boardMany, api.Limit(api.LimitRide)),
		api.Post("/driver/student/undo", "transport", "Take a tap of the last ten minutes back", m.undoBoarding, api.Limit(api.LimitRide),
			api.Says("Taken back")),
		api.Create("/driver/incident/report", "transport", "Report an incident", m.reportIncident,
			api.Says("Incident reported")),
		api.List("/driver/incident/list", "transport", "The incidents of my buses", incidentListing, driversIncidents),
		api.Post("/driver/incident/resolve", "transport", "Say how an incident of my bus ended", m.resolveIncident,
			api.Says("Incident resolved")),

		api.Get("/parent/transport/my-buses", "transport", "The buses my children ride, with today's trips", m.parentsBuses),
		api.Post("/parent/transport/not-riding", "transport", "Say that a child will not ride, or will after all", m.notRiding,
			api.Needs(api.Read), api.Says("Saved")),

		api.Get("/bus-tracking/bus/:busId/live", "transport", "Where a bus is, and the trip it is on", m.busLive, api.AnyRole),
		api.Get("/bus-tracking/trip/:tripId/students", "transport", "The students on a trip; a parent sees their own", m.tripStudents,
			api.AnyRole),
		api.Get("/bus-tracking/incidents/:busId", "transport", "What happened to a bus, newest first", busIncidents, api.AnyRole),
		api.Get("/bus-tracking/trip/:tripId/trail", "transport", "Where a bus was during a trip", m.tripTrail, api.AnyRole),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "bus_number_key", Field: "busNumber", Message: "A bus has this number"},
		{Name: "bus_registration_key", Field: "registrationNumber", Message: "A bus has this registration number"},
		{Name: "bus_driver_fkey", Field: "driverId", Message: "driverId is no employee"},
		{Name: "bus_attendant_fkey", Field: "attendantId", Message: "attendantId is no employee"},
		{Name: "bus_substitute_overlap_excl", Field: "fromDate", Message: "The bus has a substitute driver on these days"},
		{Name: "bus_substitute_dates_check", Field: "toDate", Message: "toDate must not be before fromDate"},
		{Name: "bus_substitute_bus_fkey", Field: "busId", Message: "busId does not exist"},
		{Name: "route_name_key", Field: "name", Message: "A route has this name"},
		{Name: "route_bus_fkey", Field: "busId", Message: "busId does not exist"},
		{Name: "ride_student_fkey", Field: "students", Message: "students names somebody who is no student"},
		{Name: "ride_stop_fkey", Field: "students", Message: "students names a stop that is not on the route"},
		{Name: "ride_overlap_excl", Field: "students", Message: "A student rides another route that way on these days"},
		{Name: "trip_open_bus_key", Message: "The bus is on another trip: end that first"},
		{Name: "trip_open_driver_key", Message: "The driver is on another trip: end that first"},
		{Name: "trip_once_key", Field: "scheduledStartTime", Message: "The route has a trip at this time"},
		{Name: "trip_route_fkey", Field: "routeId", Message: "routeId does not exist"},
		{Name: "trip_bus_fkey", Field: "busId", Message: "busId does not exist"},
		{Name: "trip_driver_fkey", Field: "driverId", Message: "driverId is no employee"},
		{Name: "incident_trip_fkey", Field: "tripId", Message: "tripId does not exist"},
	}
}
