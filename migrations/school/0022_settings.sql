-- The settings on one record: what was kept beside it moves in, and the school's own
-- description of itself, which the platform's record of it follows.

ALTER TABLE school_setting
    -- When evaluation mode begins and ends by itself; NULL: at once, and never.
    ADD COLUMN evaluation_mode_from timestamptz,
    ADD COLUMN evaluation_mode_until timestamptz,
    -- A school that has never said anything of itself has no time zone here: then what the
    -- platform wrote down when it was onboarded holds.
    ADD COLUMN name text NOT NULL DEFAULT '',
    ADD COLUMN time_zone text NOT NULL DEFAULT '',
    ADD COLUMN locale text NOT NULL DEFAULT '',
    ADD COLUMN currency text NOT NULL DEFAULT '' CHECK (currency ~ '^([A-Z]{3})?$'),
    ADD COLUMN address text NOT NULL DEFAULT '',
    ADD COLUMN phone text NOT NULL DEFAULT '',
    ADD COLUMN email text NOT NULL DEFAULT '',
    ADD COLUMN website text NOT NULL DEFAULT '',
    ADD COLUMN principal_name text NOT NULL DEFAULT '',
    ADD COLUMN logo_file_id uuid CONSTRAINT school_setting_logo_fkey REFERENCES file (id),
    ADD COLUMN first_day_of_week smallint NOT NULL DEFAULT 1 CHECK (first_day_of_week BETWEEN 0 AND 6),
    -- Until when teachers may mark a day: this time of the day that many days later; NULL: its end.
    ADD COLUMN attendance_cut_off time,
    ADD COLUMN attendance_teacher_days int NOT NULL DEFAULT 7 CHECK (attendance_teacher_days BETWEEN 0 AND 60),
    -- The rule of fee structures that say none of their own.
    ADD COLUMN late_fine_type text NOT NULL DEFAULT 'NONE' CHECK (late_fine_type IN ('NONE', 'FIXED', 'PER_DAY')),
    ADD COLUMN late_fine_amount bigint NOT NULL DEFAULT 0 CHECK (late_fine_amount BETWEEN 0 AND 1000000000000),
    ADD COLUMN late_fine_grace_days int NOT NULL DEFAULT 0 CHECK (late_fine_grace_days BETWEEN 0 AND 366),
    ADD COLUMN late_fine_max_amount bigint NOT NULL DEFAULT 0 CHECK (late_fine_max_amount BETWEEN 0 AND 1000000000000), -- 0 is no limit
    -- Between these what can wait waits; NULL: it never does.
    ADD COLUMN quiet_from time,
    ADD COLUMN quiet_to time,
    ADD COLUMN sms_price bigint NOT NULL DEFAULT 0 CHECK (sms_price >= 0),
    ADD COLUMN sms_daily_limit int NOT NULL DEFAULT 2000 CHECK (sms_daily_limit >= 0),
    ADD CONSTRAINT school_setting_evaluation_check CHECK (evaluation_mode_until > evaluation_mode_from),
    ADD CONSTRAINT school_setting_late_fine_check CHECK (late_fine_type = 'NONE' OR late_fine_amount > 0),
    ADD CONSTRAINT school_setting_quiet_check CHECK ((quiet_from IS NULL) = (quiet_to IS NULL) AND (quiet_from IS NULL OR quiet_from <> quiet_to));

UPDATE school_setting s SET quiet_from = d.quiet_from, quiet_to = d.quiet_to, sms_price = d.sms_price, sms_daily_limit = d.sms_daily_limit
FROM delivery_setting d;
-- Nothing reads it any more; only the release before this one did.
COMMENT ON TABLE delivery_setting IS 'moved into school_setting';

-- Which days of the week were off since when: what was marked under an older weekend
-- stays as it was. None: the one of the school's onboarding.
CREATE TABLE weekend (
    from_date date PRIMARY KEY,
    days      smallint[] NOT NULL CHECK (days <@ '{0,1,2,3,4,5,6}'::smallint[])
);
