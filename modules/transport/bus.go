package transport

import (
	"cmp"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Bus is a vehicle of the school.
type Bus struct {
	api.Record
	BusFields
}

// BusFields are what the office says of a bus.
type BusFields struct {
	BusNumber          string     `json:"busNumber" validate:"notblank,max=30" example:"7"`
	RegistrationNumber string     `json:"registrationNumber" validate:"max=30" example:"KA-01-AB-1234"`
	Capacity           *int       `json:"capacity" validate:"omitempty,min=1,max=300"`
	DriverID           *uuid.UUID `json:"driverId" doc:"The employee who drives it, unless a substitute does"`
	AttendantID        *uuid.UUID `json:"attendantId" doc:"The employee who rides along"`
	Status             string     `json:"status" validate:"omitempty,oneof=ACTIVE MAINTENANCE RETIRED" doc:"ACTIVE unless given"`
}

// BusDetail is a bus with its routes and who stands in for its driver from today on.
type BusDetail struct {
	Bus
	DriverName  string           `json:"driverName"`
	Routes      []RouteName      `json:"routes"`
	Substitutes []SubstituteView `json:"substitutes"`
}

// RouteName is a route by its name.
type RouteName struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Direction string    `json:"direction" enum:"pickup,dropoff"`
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

type busChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[BusFields]
}

var busListing = api.Listing{
	Sorts:   map[string]string{"busNumber": "bus_number", "createdAt": "created_at"},
	Default: "busNumber",
	Filters: map[string]api.Filter{
		"search": api.Search("bus_number", "registration_number"), "status": api.ByEnum("status", "ACTIVE", "MAINTENANCE", "RETIRED"),
		"driverId": api.ByID("driver_id"),
	},
}

func createBus(c api.Ctx, r BusFields) (Bus, error) {
	b := Bus{BusFields: r}
	if err := b.normalize(c); err != nil {
		return b, err
	}
	return b, api.Insert(c, "bus", &b)
}

func listBuses(c api.Ctx, l api.ListRequest) (api.Page[Bus], error) {
	return api.Fetch[Bus](c.DB.Model(&Bus{}), l)
}

func getBus(c api.Ctx, r byID) (BusDetail, error) {
	b, err := api.Find[Bus](c, "bus", c.DB, r.ID)
	if err != nil {
		return BusDetail{}, err
	}
	out := BusDetail{Bus: b}
	var names []struct{ FirstName, LastName string }
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select first_name, last_name from employee where id = $1`, Args: []any{b.DriverID}, Scan: tenancy.Collect(&names)},
		tenancy.Query{SQL: `select id, name, direction from route where bus_id = $1 order by name`, Args: []any{r.ID},
			Scan: tenancy.Collect(&out.Routes)},
		tenancy.Query{SQL: selectSubstitutes, Args: []any{r.ID, c.Today()}, Scan: tenancy.Collect(&out.Substitutes)},
	)
	if err != nil {
		return out, fmt.Errorf("reading a bus: %w", err)
	}
	for _, n := range names {
		out.DriverName = roster.FullName(n.FirstName, n.LastName)
	}
	return out, nil
}

func updateBus(c api.Ctx, r busChange) (Bus, error) {
	if r.Names("driverId") {
		c.Tell(sightsChanged())
	}
	var before *uuid.UUID
	b, err := api.Update(c, "bus", r.ID, func(b *Bus) error {
		was := b.Status
		before = b.DriverID
		if err := r.Apply(&b.BusFields); err != nil {
			return err
		}
		b.Status = cmp.Or(b.Status, was) // null: as it is
		return b.normalize(c)
	})
	if err != nil {
		return b, err
	}
	return b, tellOtherDriver(c, b, before, b.DriverID, api.Date{}, api.Date{})
}

func deleteBus(c api.Ctx, r byID) error { return api.Erase[Bus](c, "bus", r.ID) }

// normalize checks what tags cannot.
func (b *Bus) normalize(c api.Ctx) error {
	if b.Status == "" {
		b.Status = "ACTIVE"
	}
	return mayDrive(c, b.DriverID)
}

// mayDrive refuses somebody who is not one of the school's drivers.
func mayDrive(c api.Ctx, driver *uuid.UUID) error {
	if driver == nil {
		return nil
	}
	var n int64
	err := c.DB.Raw(`select count(*) from employee where id = ? and employee_type = 'DRIVER' and status = 'ACTIVE'`, *driver).Scan(&n).Error
	if err != nil {
		return fmt.Errorf("looking for a driver: %w", err)
	}
	if n == 0 {
		return api.InvalidField("driverId", "driverId is no driver of the school")
	}
	return nil
}
