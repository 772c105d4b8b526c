package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// DemoPeople are whom the demo bus needs: somebody to drive it, and a parent to watch.
type DemoPeople struct {
	DriverUser, ParentUser   uuid.UUID
	DriverPhone, ParentPhone string
	DriverRole, ParentRole   uuid.UUID
}

// demoStops are along a road that a map shows well.
var demoStops = []struct {
	name, morning string
	lat, lng      float64
}{
	{"Temple Street", "07:00", 12.9716, 77.5946}, {"Market Square", "07:06", 12.9780, 77.5990}, {"Hill Road", "07:12", 12.9846, 77.6010},
	{"Lake View", "07:18", 12.9900, 77.6075}, {"Green Valley School", "07:25", 12.9960, 77.6130},
}

var demoChildren = []string{"Asha", "Bela", "Chetan", "Dev", "Esha", "Farid"}

// Demo gives a school a bus, a morning route, riders, and a trip of the day. Ids follow
// from names, so running it again adds the day's trip and nothing else.
func Demo(db *gorm.DB, p DemoPeople, today api.Date, location *time.Location) error {
	id := func(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte("homeroom demo "+name)) }
	return db.Transaction(func(tx *gorm.DB) error {
		var err error
		run := func(sql string, args ...any) {
			if err == nil {
				err = tx.Exec(sql+` on conflict do nothing`, args...).Error
			}
		}
		run(`insert into app_user (id, role_id, first_name, last_name, phone) values (?, ?, 'Ravi', 'Kumar', ?), (?, ?, 'Meera', 'Rao', ?)`,
			p.DriverUser, p.DriverRole, p.DriverPhone, p.ParentUser, p.ParentRole, p.ParentPhone)
		run(`insert into employee (id, user_id, employee_code, first_name, last_name, phone, employee_type, search_text)
			values (?, ?, 'D-1', 'Ravi', 'Kumar', ?, 'DRIVER', 'ravi kumar d-1')`,
			id("driver"), p.DriverUser, p.DriverPhone)
		run(`insert into guardian (id, user_id, first_name, last_name, phone) values (?, ?, 'Meera', 'Rao', ?)`, id("guardian"), p.ParentUser,
			p.ParentPhone)
		run(`insert into bus (id, bus_number, registration_number, capacity, driver_id) values (?, '7', 'KA-01-GV-0007', 40, ?)`, id("bus"),
			id("driver"))
		run(`insert into route (id, name, bus_id, direction) values (?, 'Hill Road, morning', ?, 'pickup')`, id("route"), id("bus"))
		for i, s := range demoStops {
			run(`insert into stop (id, route_id, name, sequence, lat, lng, radius_meters, planned_time) values (?, ?, ?, ?, ?, ?, 300, ?)`,
				id("stop "+s.name), id("route"), s.name, i+1, s.lat, s.lng, s.morning)
		}
		for i, name := range demoChildren {
			run(`insert into student (id, admission_number, first_name, last_name, admission_date, search_text) values (?, ?, ?, 'Rao', ?, ?)`,
				id("rider "+name), fmt.Sprintf("DEMO-%02d", i+1), name, today, api.Fold(name, "Rao"))
			run(`insert into ride (id, student_id, route_id, stop_id, direction, start_date) values (?, ?, ?, ?, 'pickup', ?)`,
				id("ride "+name), id("rider "+name), id("route"), id("stop "+demoStops[i%(len(demoStops)-1)].name), today)
		}
		run(`insert into student_guardian (id, student_id, guardian_id, relation, is_primary) values (?, ?, ?, 'MOTHER', true)`, id("tie"),
			id("rider Asha"), id("guardian"))
		start := time.Date(today.Year, today.Month, today.Day, 6, 55, 0, 0, location).UTC()
		run(`insert into trip (id, route_id, bus_id, trip_type, trip_date, scheduled_start_at) values (?, ?, ?, 'pickup', ?, ?)`,
			id("trip "+today.String()), id("route"), id("bus"), today, start)
		if err != nil {
			return fmt.Errorf("adding the demo bus: %w", err)
		}
		return nil
	})
}
