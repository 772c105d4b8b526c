-- Leave of students, asked for by their parents, and of employees, by themselves.

CREATE TABLE leave (
    id             uuid PRIMARY KEY,
    applicant_type text NOT NULL CHECK (applicant_type IN ('STUDENT', 'EMPLOYEE')),
    student_id     uuid CONSTRAINT leave_student_fkey REFERENCES student (id),
    employee_id    uuid CONSTRAINT leave_employee_fkey REFERENCES employee (id),
    leave_type     text NOT NULL CHECK (leave_type IN ('SICK', 'CASUAL', 'EMERGENCY')),
    from_date      date NOT NULL,
    to_date        date NOT NULL,
    half_day       boolean NOT NULL DEFAULT false,
    -- School days it takes, as the calendar was when it was asked for.
    days           double precision NOT NULL CHECK (days > 0),
    reason         text NOT NULL,
    status         text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED')),
    decided_by     uuid,
    decided_at     timestamptz,
    decision_note  text NOT NULL DEFAULT '',
    version        int NOT NULL DEFAULT 1,
    -- Who asked.
    created_by     uuid NOT NULL CONSTRAINT leave_applicant_fkey REFERENCES app_user (id),
    updated_by     uuid,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT leave_dates_check CHECK (to_date >= from_date),
    CONSTRAINT leave_half_day_check CHECK (NOT half_day OR from_date = to_date),
    CONSTRAINT leave_applicant_check CHECK ((applicant_type = 'STUDENT') = (student_id IS NOT NULL) AND (applicant_type = 'EMPLOYEE') = (employee_id IS NOT NULL)),
    -- Nobody has two open requests for one day.
    CONSTRAINT leave_overlap_excl EXCLUDE USING gist
        (coalesce(student_id, employee_id) extensions.gist_uuid_ops WITH =, daterange(from_date, to_date, '[]') WITH &&)
        WHERE (status IN ('PENDING', 'APPROVED'))
);
CREATE INDEX leave_student_idx ON leave (student_id, from_date) WHERE student_id IS NOT NULL;
CREATE INDEX leave_employee_idx ON leave (employee_id, from_date) WHERE employee_id IS NOT NULL;
CREATE INDEX leave_created_idx ON leave (created_at DESC, id DESC);
CREATE INDEX leave_pending_idx ON leave (from_date) WHERE status = 'PENDING';

ALTER TABLE attendance ADD CONSTRAINT attendance_leave_fkey FOREIGN KEY (leave_id) REFERENCES leave (id);

-- How many days of each type an employee has in a year; none said, none counted.
CREATE TABLE leave_entitlement (
    leave_type    text PRIMARY KEY CHECK (leave_type IN ('SICK', 'CASUAL', 'EMERGENCY')),
    days_per_year double precision NOT NULL CHECK (days_per_year >= 0),
    updated_by    uuid,
    updated_at    timestamptz NOT NULL DEFAULT now()
);
