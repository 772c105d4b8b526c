-- Where buses were, by the phone's clock. It is written in bulk, read trip by trip,
-- thinned after a month and gone after three.

CREATE TABLE location (
    trip_id     uuid NOT NULL CONSTRAINT location_trip_fkey REFERENCES trip (id) ON DELETE CASCADE,
    at          timestamptz NOT NULL,
    lat         double precision NOT NULL,
    lng         double precision NOT NULL,
    speed       real NOT NULL,
    heading     real NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (trip_id, at)
);
REVOKE UPDATE, TRUNCATE ON location FROM :school_role;
-- The day up to which a school's trails are thinned, so that each day is done once.
ALTER TABLE school_setting ADD COLUMN trails_thinned_to date;
