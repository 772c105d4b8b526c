-- Trips, who was aboard, and what went wrong on the way.

CREATE TABLE trip (
    id                 uuid PRIMARY KEY,
    route_id           uuid NOT NULL CONSTRAINT trip_route_fkey REFERENCES route (id),
    bus_id             uuid NOT NULL CONSTRAINT trip_bus_fkey REFERENCES bus (id),
    -- Said for this trip alone, or who drove it. Otherwise the bus's driver of the day.
    driver_id          uuid CONSTRAINT trip_driver_fkey REFERENCES employee (id),
    trip_type          text NOT NULL CHECK (trip_type IN ('pickup', 'dropoff')),
    trip_date          date NOT NULL,
    scheduled_start_at timestamptz NOT NULL,
    status             text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'in_progress', 'paused', 'completed', 'cancelled')),
    started_at         timestamptz,
    ended_at           timestamptz,
    cancel_reason      text NOT NULL DEFAULT '',
    version            int NOT NULL DEFAULT 1,
    created_by         uuid,
    updated_by         uuid,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT trip_open_driver_check CHECK (status NOT IN ('in_progress', 'paused') OR driver_id IS NOT NULL)
);
-- A bus is on one trip at a time, and so is a driver.
CREATE UNIQUE INDEX trip_open_bus_key ON trip (bus_id) WHERE status IN ('in_progress', 'paused');
CREATE UNIQUE INDEX trip_open_driver_key ON trip (driver_id) WHERE status IN ('in_progress', 'paused');
CREATE UNIQUE INDEX trip_once_key ON trip (route_id, scheduled_start_at) WHERE status <> 'cancelled';
CREATE INDEX trip_date_idx ON trip (trip_date, bus_id);
CREATE INDEX trip_bus_idx ON trip (bus_id, scheduled_start_at DESC);
CREATE INDEX trip_driver_idx ON trip (driver_id, trip_date) WHERE driver_id IS NOT NULL;

-- One for each rider of a trip, made when it starts. Where it stands follows from the taps.
CREATE TABLE boarding (
    id          uuid PRIMARY KEY,
    trip_id     uuid NOT NULL CONSTRAINT boarding_trip_fkey REFERENCES trip (id) ON DELETE CASCADE,
    student_id  uuid NOT NULL CONSTRAINT boarding_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    stop_id     uuid NOT NULL CONSTRAINT boarding_stop_fkey REFERENCES stop (id),
    status      text NOT NULL CHECK (status IN ('waiting', 'boarded', 'alighted', 'absent', 'no_show')),
    -- What it was before any tap: waiting, or absent for one who was said not to ride.
    preset      text NOT NULL CHECK (preset IN ('waiting', 'absent')),
    reason      text NOT NULL DEFAULT '',
    boarded_at  timestamptz,
    alighted_at timestamptz,
    updated_at  timestamptz NOT NULL,
    CONSTRAINT boarding_once UNIQUE (trip_id, student_id)
);
CREATE INDEX boarding_student_idx ON boarding (student_id);

-- Every tap that counted, by the driver's own time. The same client event counts once.
CREATE TABLE boarding_tap (
    trip_id         uuid NOT NULL,
    student_id      uuid NOT NULL,
    client_event_id text NOT NULL,
    status          text NOT NULL CHECK (status IN ('boarded', 'alighted', 'absent', 'no_show')),
    at              timestamptz NOT NULL,
    received_at     timestamptz NOT NULL,
    tapped_by       uuid NOT NULL,
    undone_at       timestamptz,
    PRIMARY KEY (trip_id, client_event_id),
    CONSTRAINT boarding_tap_boarding_fkey FOREIGN KEY (trip_id, student_id) REFERENCES boarding (trip_id, student_id) ON DELETE CASCADE
);
CREATE INDEX boarding_tap_student_idx ON boarding_tap (trip_id, student_id);

-- Where a bus has been on a trip. near_at is when waiting families were told.
CREATE TABLE trip_stop (
    trip_id     uuid NOT NULL CONSTRAINT trip_stop_trip_fkey REFERENCES trip (id) ON DELETE CASCADE,
    stop_id     uuid NOT NULL CONSTRAINT trip_stop_stop_fkey REFERENCES stop (id),
    near_at     timestamptz,
    arrived_at  timestamptz,
    departed_at timestamptz,
    PRIMARY KEY (trip_id, stop_id)
);

CREATE TABLE incident (
    id          uuid PRIMARY KEY,
    bus_id      uuid NOT NULL CONSTRAINT incident_bus_fkey REFERENCES bus (id),
    trip_id     uuid CONSTRAINT incident_trip_fkey REFERENCES trip (id),
    type        text NOT NULL CHECK (type IN ('vehicle_breakdown', 'traffic_jam', 'accident', 'other')),
    severity    text NOT NULL DEFAULT 'MEDIUM' CHECK (severity IN ('LOW', 'MEDIUM', 'HIGH')),
    description text NOT NULL DEFAULT '',
    lat         double precision CHECK (lat BETWEEN -90 AND 90),
    lng         double precision CHECK (lng BETWEEN -180 AND 180),
    occurred_at timestamptz NOT NULL,
    reported_by uuid NOT NULL,
    resolved_at timestamptz,
    resolved_by uuid,
    resolution  text NOT NULL DEFAULT '',
    version     int NOT NULL DEFAULT 1,
    created_by  uuid,
    updated_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX incident_bus_idx ON incident (bus_id, occurred_at DESC, id DESC);
CREATE INDEX incident_trip_idx ON incident (trip_id) WHERE trip_id IS NOT NULL;
