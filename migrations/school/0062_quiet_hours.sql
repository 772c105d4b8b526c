-- Quiet hours are on unless a school says otherwise. What is urgent goes through them; everything else waits, is worded
-- for the day it arrives on, or is dropped when it is of no use any more.
ALTER TABLE school_setting ALTER COLUMN quiet_from SET DEFAULT '21:00', ALTER COLUMN quiet_to SET DEFAULT '07:00';
ALTER TABLE notice
    ADD COLUMN urgent boolean NOT NULL DEFAULT false,
    ADD COLUMN until timestamptz,
    -- The body as it is said on the day it was written and on the day after, where it names days; else empty.
    ADD COLUMN said_today text NOT NULL DEFAULT '',
    ADD COLUMN said_next_day text NOT NULL DEFAULT '';
ALTER TABLE delivery
    ADD COLUMN urgent boolean NOT NULL DEFAULT false,
    ADD COLUMN expires_at timestamptz;
ALTER TABLE announcement ADD COLUMN urgent boolean NOT NULL DEFAULT false;
-- Of schools whose settings nobody has changed yet.
UPDATE school_setting SET quiet_from = '21:00', quiet_to = '07:00' WHERE quiet_from IS NULL AND version = 1;
