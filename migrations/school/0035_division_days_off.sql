-- A day off may be of some divisions alone, and a leave of half a day counts half.
CREATE TABLE holiday_division (
    holiday_id  uuid NOT NULL CONSTRAINT holiday_division_holiday_fkey REFERENCES holiday (id) ON DELETE CASCADE,
    division_id uuid NOT NULL CONSTRAINT holiday_division_division_fkey REFERENCES division (id) ON DELETE CASCADE,
    PRIMARY KEY (holiday_id, division_id)
);
CREATE INDEX holiday_division_division_idx ON holiday_division (division_id);
ALTER TABLE attendance ADD COLUMN half_day boolean NOT NULL DEFAULT false;
ALTER TABLE attendance_revision ADD COLUMN half_day boolean NOT NULL DEFAULT false;
UPDATE attendance a SET half_day = true FROM leave l WHERE l.id = a.leave_id AND l.half_day AND a.status = 'LEAVE';
