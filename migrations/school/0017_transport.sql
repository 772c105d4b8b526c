-- Buses, the routes they drive, and who rides where.

CREATE TABLE bus (
    id                  uuid PRIMARY KEY,
    bus_number          text NOT NULL,
    registration_number text NOT NULL DEFAULT '',
    capacity            int CHECK (capacity > 0),
    driver_id           uuid CONSTRAINT bus_driver_fkey REFERENCES employee (id),
    attendant_id        uuid CONSTRAINT bus_attendant_fkey REFERENCES employee (id),
    status              text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'MAINTENANCE', 'RETIRED')),
    version             int NOT NULL DEFAULT 1,
    created_by          uuid,
    updated_by          uuid,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX bus_number_key ON bus (lower(bus_number));
CREATE UNIQUE INDEX bus_registration_key ON bus (lower(registration_number)) WHERE registration_number <> '';
CREATE INDEX bus_driver_idx ON bus (driver_id) WHERE driver_id IS NOT NULL;

-- Who drives a bus instead of its own driver, for some days.
CREATE TABLE bus_substitute (
    id         uuid PRIMARY KEY,
    bus_id     uuid NOT NULL CONSTRAINT bus_substitute_bus_fkey REFERENCES bus (id) ON DELETE CASCADE,
    driver_id  uuid NOT NULL CONSTRAINT bus_substitute_driver_fkey REFERENCES employee (id),
    from_date  date NOT NULL,
    to_date    date NOT NULL,
    note       text NOT NULL DEFAULT '',
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT bus_substitute_dates_check CHECK (to_date >= from_date),
    CONSTRAINT bus_substitute_overlap_excl EXCLUDE USING gist
        (bus_id extensions.gist_uuid_ops WITH =, daterange(from_date, to_date, '[]') WITH &&)
);
CREATE INDEX bus_substitute_driver_idx ON bus_substitute (driver_id, from_date);

CREATE TABLE route (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    bus_id     uuid NOT NULL CONSTRAINT route_bus_fkey REFERENCES bus (id),
    direction  text NOT NULL CHECK (direction IN ('pickup', 'dropoff')),
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- What a ride refers to, so that its direction is its route's.
    CONSTRAINT route_direction_key UNIQUE (id, direction)
);
CREATE UNIQUE INDEX route_name_key ON route (lower(name));
CREATE INDEX route_bus_idx ON route (bus_id);

-- A stop that leaves its route stays in the books of the trips that called there.
CREATE TABLE stop (
    id            uuid PRIMARY KEY,
    route_id      uuid NOT NULL CONSTRAINT stop_route_fkey REFERENCES route (id) ON DELETE CASCADE,
    name          text NOT NULL,
    sequence      int NOT NULL,
    lat           double precision NOT NULL CHECK (lat BETWEEN -90 AND 90),
    lng           double precision NOT NULL CHECK (lng BETWEEN -180 AND 180),
    radius_meters int NOT NULL DEFAULT 300 CHECK (radius_meters BETWEEN 30 AND 5000),
    planned_time  time,
    removed_at    timestamptz,
    CONSTRAINT stop_of_route_key UNIQUE (route_id, id)
);
CREATE INDEX stop_route_idx ON stop (route_id, sequence) WHERE removed_at IS NULL;

CREATE TABLE ride (
    id         uuid PRIMARY KEY,
    student_id uuid NOT NULL CONSTRAINT ride_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    route_id   uuid NOT NULL,
    stop_id    uuid NOT NULL,
    direction  text NOT NULL,
    start_date date NOT NULL,
    end_date   date,
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ride_route_fkey FOREIGN KEY (route_id, direction) REFERENCES route (id, direction) ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT ride_stop_fkey FOREIGN KEY (route_id, stop_id) REFERENCES stop (route_id, id),
    CONSTRAINT ride_dates_check CHECK (end_date IS NULL OR end_date >= start_date),
    -- Nobody rides two buses to school on one day, nor two home.
    CONSTRAINT ride_overlap_excl EXCLUDE USING gist
        (student_id extensions.gist_uuid_ops WITH =, direction extensions.gist_text_ops WITH =, daterange(start_date, end_date, '[]') WITH &&)
);
CREATE INDEX ride_route_idx ON ride (route_id, start_date);
CREATE INDEX ride_stop_idx ON ride (stop_id);

-- A parent said that a child does not ride on a day, one way or (two rows) both.
CREATE TABLE not_riding (
    id         uuid PRIMARY KEY,
    student_id uuid NOT NULL CONSTRAINT not_riding_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    date       date NOT NULL,
    trip_type  text NOT NULL CHECK (trip_type IN ('pickup', 'dropoff')),
    reason     text NOT NULL DEFAULT '',
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT not_riding_once UNIQUE (student_id, date, trip_type)
);
CREATE INDEX not_riding_date_idx ON not_riding (date);
