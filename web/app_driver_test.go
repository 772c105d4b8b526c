package web_test

import (
	"fmt"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestApp_DriverWithoutALine_EveryTapArrivesOnce: thirty children board and get off while the line is cut.
func TestApp_DriverWithoutALine_EveryTapArrivesOnce(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, _ := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}}) // today is a school day
	phone, guardian := testkit.NewPhone(), testkit.NewPhone()
	driver := testkit.Post[roster.EmployeeDetail](t, clerk, "/school-admin/employee/create",
		map[string]any{"firstName": "Ravi", "lastName": "Kumar", "employeeType": "DRIVER", "phone": phone})
	bus := testkit.Post[transport.Bus](t, clerk, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "7", "capacity": 40, "driverId": driver.ID})
	stop := func(i int, name, at string) map[string]any {
		return map[string]any{"name": name, "lat": 12.97 + float64(i)*0.01, "lng": 77.59, "plannedTime": at}
	}
	route := testkit.Post[transport.RouteDetail](t, clerk, "/school-admin/transport/route/create",
		map[string]any{"name": "Hill Road", "busId": bus.ID, "direction": "pickup",
			"stops": []any{stop(0, "Temple", "07:00"), stop(1, "Market", "07:10"), stop(2, "Lake", "07:20")}})
	var riders []any
	for i := range 30 {
		child := testkit.Post[made](t, clerk, "/school-admin/student/create",
			map[string]any{"firstName": fmt.Sprintf("Child%02d", i), "lastName": "Rao"})
		if i == 0 {
			testkit.Post[made](t, clerk, "/school-admin/student/"+child.ID.String()+"/guardians",
				map[string]any{"relation": "MOTHER", "firstName": "Meera", "lastName": "Rao", "phone": guardian})
		}
		riders = append(riders, map[string]any{"studentId": child.ID, "stopId": route.Stops[i/10].ID})
	}
	testkit.Put[transport.RouteDetail](t, clerk, "/school-admin/transport/route/"+route.ID.String()+"/students",
		map[string]any{"students": riders})
	trip := testkit.Post[transport.Scheduled](t, clerk, "/school-admin/transport/trip/schedule", map[string]any{"routeId": route.ID,
		"tripDate": api.DateOf(app.Service.Kernel.Clock().In(s.Location())), "scheduledStartTime": "07:00"})
	colleague := testkit.Post[roster.EmployeeDetail](t, clerk, "/school-admin/employee/create",
		map[string]any{"firstName": "Meena", "lastName": "Das", "employeeType": "DRIVER", "phone": testkit.NewPhone()})
	home := testkit.Post[transport.RouteDetail](t, clerk, "/school-admin/transport/route/create",
		map[string]any{"name": "Lake Road", "busId": bus.ID, "direction": "dropoff", "stops": []any{stop(0, "Temple", "15:00")}})
	second := testkit.Post[transport.Scheduled](t, clerk, "/school-admin/transport/trip/schedule", map[string]any{"routeId": home.ID,
		"tripDate": api.DateOf(app.Service.Kernel.Clock().In(s.Location())), "scheduledStartTime": "15:00"})
	browse(t, app, "app-driver", map[string]any{"phone": phone, "guardian": guardian})
	if n := s.Count(t, "trip", "id = ? and driver_id = ? and status = 'in_progress'", second.ID, colleague.ID); n != 1 {
		t.Error("the second trip was not handed over")
	}
	if n := s.Count(t, "boarding_tap", "trip_id = ? and undone_at is null", trip.ID); n != 60 {
		t.Errorf("%d taps arrived, want 60", n)
	}
	if n := s.Count(t, "boarding", "trip_id = ? and status = 'alighted' and boarded_at < alighted_at", trip.ID); n != 30 {
		t.Errorf("%d riders got off, want 30", n)
	}
	if n := s.Count(t, "(select at, lag(at) over (order by received_at) as before from boarding_tap) x", "before > at"); n != 0 {
		t.Errorf("%d taps came before an earlier one", n)
	}
	if n := s.Count(t, "trip", "id = ? and status = 'completed'", trip.ID); n != 1 {
		t.Error("the trip is not completed")
	}
	for _, lat := range []float64{12.9635, 12.9645, 12.9655} {
		if n := s.Count(t, "location", "trip_id = ? and lat = ?", trip.ID, lat); n == 0 {
			t.Errorf("the position at %v, in the dead spot, did not arrive", lat)
		}
	}
	if n := s.Count(t, "incident", "bus_id = ? and type = 'traffic_jam' and lat is not null", bus.ID); n != 1 {
		t.Errorf("%d incidents, want 1", n)
	}
	if n := s.Count(t, "incident", "bus_id = ? and resolution = 'By Temple Road'", bus.ID); n != 1 {
		t.Errorf("%d incidents are resolved, want 1", n)
	}
}

// TestApp_DriversPhone_SaysWhatItCannot is a trip with two riders, one of whom has a photo.
func TestApp_DriversPhone_SaysWhatItCannot(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}}) // today is a school day
	phone := testkit.NewPhone()
	driver := testkit.Post[made](t, clerk, "/school-admin/employee/create",
		map[string]any{"firstName": "Ravi", "lastName": "Kumar", "employeeType": "DRIVER", "phone": phone})
	bus := testkit.Post[transport.Bus](t, clerk, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "7", "capacity": 40, "driverId": driver.ID})
	route := testkit.Post[transport.RouteDetail](t, clerk, "/school-admin/transport/route/create", map[string]any{"name": "Hill Road",
		"busId": bus.ID, "direction": "pickup",
		"stops": []any{map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59, "plannedTime": "07:00"}}})
	var riders []any
	for _, child := range []map[string]any{{"firstName": "Asha", "photoFileId": uploadPhoto(t, clerk)}, {"firstName": "Dev"}} {
		child["lastName"] = "Rao"
		one := testkit.Post[made](t, clerk, "/school-admin/student/create", child)
		riders = append(riders, map[string]any{"studentId": one.ID, "stopId": route.Stops[0].ID})
	}
	testkit.Put[any](t, clerk, "/school-admin/transport/route/"+route.ID.String()+"/students", map[string]any{"students": riders})
	trip := testkit.Post[transport.Scheduled](t, clerk, "/school-admin/transport/trip/schedule", map[string]any{"routeId": route.ID,
		"tripDate": api.DateOf(app.Service.Kernel.Clock().In(s.Location())), "scheduledStartTime": "07:00"})
	stage["phone"], stage["trip"] = phone, trip.ID
	browse(t, app, "app-driver-phone", stage)
	if n := s.Count(t, "trip", "id = ? and status = 'completed'", trip.ID); n != 1 {
		t.Error("the trip is not completed")
	}
}
