package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// BusSubstitute is somebody who drives a bus for some days.
type BusSubstitute struct {
	api.Record
	BusID    uuid.UUID `json:"busId"`
	DriverID uuid.UUID `json:"driverId"`
	FromDate api.Date  `json:"fromDate"`
	ToDate   api.Date  `json:"toDate"`
	Note     string    `json:"note"`
}

// SubstituteView is a substitute with their name.
type SubstituteView struct {
	ID         uuid.UUID `json:"id"`
	DriverID   uuid.UUID `json:"driverId"`
	DriverName string    `json:"driverName"`
	FromDate   api.Date  `json:"fromDate"`
	ToDate     api.Date  `json:"toDate"`
	Note       string    `json:"note"`
}

const selectSubstitutes = `select s.id, s.driver_id, trim(e.first_name || ' ' || e.last_name) as driver_name, s.from_date, s.to_date,
	s.note
	from bus_substitute s join employee e on e.id = s.driver_id where s.bus_id = $1 and s.to_date >= $2 order by s.from_date`

// driverOf is the employee who drives trip t: said for the trip, or the bus's
// substitute of the day, or its own driver.
const driverOf = `coalesce(t.driver_id,
	(select x.driver_id from bus_substitute x where x.bus_id = t.bus_id and t.trip_date between x.from_date and x.to_date),
	(select b.driver_id from bus b where b.id = t.bus_id))`

// driverOn is who drives bus b on the day of the parameter @today.
const driverOn = `coalesce((select x.driver_id from bus_substitute x where x.bus_id = b.id and @today between x.from_date
	and x.to_date), b.driver_id)`

type driverAssignment struct {
	BusID    uuid.UUID `path:"id"`
	DriverID uuid.UUID `json:"driverId" validate:"required"`
	FromDate api.Date  `json:"fromDate" doc:"With toDate: a substitute for these days. Without: the bus's driver from now on"`
	ToDate   api.Date  `json:"toDate"`
	Note     string    `json:"note" validate:"max=200"`
}

func assignDriver(c api.Ctx, r driverAssignment) (BusDetail, error) {
	if r.FromDate.IsZero() != r.ToDate.IsZero() {
		return BusDetail{}, api.InvalidField("toDate", "fromDate and toDate go together")
	}
	// The bus first: another school's is not found, no matter what else the body says.
	var before *uuid.UUID
	b, err := api.Update(c, "bus", r.BusID, func(b *Bus) error {
		before = b.DriverID
		if err := mayDrive(c, &r.DriverID); err != nil {
			return err
		}
		if r.FromDate.IsZero() {
			b.DriverID = &r.DriverID
		}
		return nil
	})
	if err != nil {
		return BusDetail{}, err
	}
	if !r.FromDate.IsZero() {
		s := BusSubstitute{BusID: r.BusID, DriverID: r.DriverID, FromDate: r.FromDate, ToDate: r.ToDate, Note: r.Note}
		if err := api.Insert(c, "substitute driver", &s); err != nil {
			return BusDetail{}, err
		}
	}
	c.Tell(sightsChanged())
	if err := tellOtherDriver(c, b, before, &r.DriverID, r.FromDate, r.ToDate); err != nil {
		return BusDetail{}, err
	}
	return getBus(c, byID{r.BusID})
}

func deleteSubstitute(c api.Ctx, r byID) error {
	s, err := api.Lock[BusSubstitute](c, "substitute driver", r.ID)
	if err != nil {
		return err
	}
	b, err := api.Find[Bus](c, "bus", c.DB, s.BusID)
	if err != nil {
		return err
	}
	if err := tellOtherDriver(c, b, &s.DriverID, b.DriverID, s.FromDate, s.ToDate); err != nil {
		return err
	}
	c.Tell(sightsChanged())
	return api.Erase[BusSubstitute](c, "substitute driver", r.ID)
}

// DriversBus is a bus a driver drives today.
type DriversBus struct {
	ID                 uuid.UUID   `json:"id"`
	BusNumber          string      `json:"busNumber"`
	RegistrationNumber string      `json:"registrationNumber"`
	Capacity           *int        `json:"capacity"`
	Substitute         bool        `json:"substitute" doc:"For its own driver, who is away"`
	Routes             []RouteName `json:"routes" gorm:"serializer:json"`
}

// DriversBuses are a driver's buses.
type DriversBuses struct {
	Buses []DriversBus `json:"buses"`
}

func driversBuses(c api.Ctx, _ api.Nothing) (DriversBuses, error) {
	out := DriversBuses{Buses: []DriversBus{}}
	err := c.DB.Raw(`select b.id, b.bus_number, b.registration_number, b.capacity, b.driver_id is distinct from e.id as substitute,
			coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'direction', r.direction) order by r.name) from route r
			where r.bus_id = b.id), '[]') as routes
		from bus b join employee e on e.user_id = @user
		where b.status <> 'RETIRED'
		and (`+driverOn+` = e.id or exists (select from trip t where t.bus_id = b.id and t.trip_date = @today and t.driver_id = e.id))
		order by b.bus_number`, map[string]any{"user": c.User.ID, "today": c.Today()}).Scan(&out.Buses).Error
	if err != nil {
		return out, fmt.Errorf("listing a driver's buses: %w", err)
	}
	return out, nil
}
