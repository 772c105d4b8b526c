-- How often a student was there from one day to another that were counted elsewhere: of a school that comes to Homeroom in the
-- middle of a year. It counts where a span of days contains all of its days; marks of these days do not count beside it then.
CREATE TABLE attendance_total (
    id          uuid PRIMARY KEY,
    student_id  uuid NOT NULL CONSTRAINT attendance_total_student_fkey REFERENCES student (id),
    division_id uuid NOT NULL CONSTRAINT attendance_total_division_fkey REFERENCES division (id),
    first_day   date NOT NULL,
    last_day    date NOT NULL,
    school_days int NOT NULL CHECK (school_days >= present + absent + late + leave),
    present     int NOT NULL DEFAULT 0 CHECK (present >= 0),
    absent      int NOT NULL DEFAULT 0 CHECK (absent >= 0),
    late        int NOT NULL DEFAULT 0 CHECK (late >= 0),
    leave       int NOT NULL DEFAULT 0 CHECK (leave >= 0),
    half_days   int NOT NULL DEFAULT 0 CHECK (half_days BETWEEN 0 AND leave),
    created_by  uuid NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT attendance_total_days_check CHECK (last_day >= first_day),
    CONSTRAINT attendance_total_excl EXCLUDE USING gist
        (student_id extensions.gist_uuid_ops WITH =, daterange(first_day, last_day, '[]') WITH &&)
);
CREATE INDEX attendance_total_division_idx ON attendance_total (division_id);
