-- Buses rest on holidays, unless the route or the trip says otherwise. A trip that a day off
-- cancelled (off_day) is scheduled again when the day is one no longer.
ALTER TABLE route ADD COLUMN runs_on_holidays boolean NOT NULL DEFAULT false;
ALTER TABLE trip ADD COLUMN runs_on_holidays boolean NOT NULL DEFAULT false;
ALTER TABLE trip ADD COLUMN off_day boolean NOT NULL DEFAULT false;

-- Whom an incident reaches: the riders at once, or the office first, which releases or discards it.
ALTER TABLE school_setting ADD COLUMN incidents_to text NOT NULL DEFAULT 'ALL' CHECK (incidents_to IN ('ALL', 'OFFICE'));
ALTER TABLE incident ADD COLUMN release text NOT NULL DEFAULT 'RELEASED' CHECK (release IN ('WAITING', 'RELEASED', 'DISCARDED'));
ALTER TABLE incident ADD COLUMN released_at timestamptz;
ALTER TABLE incident ADD COLUMN released_by uuid;
