-- Who was at school on which day, and which days are off.

-- A day off, of the whole school or of the classes that holiday_class names.
CREATE TABLE holiday (
    id          uuid PRIMARY KEY,
    name        text NOT NULL,
    start_date  date NOT NULL,
    end_date    date NOT NULL,
    all_classes boolean NOT NULL DEFAULT true,
    version     int NOT NULL DEFAULT 1,
    created_by  uuid,
    updated_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT holiday_dates_check CHECK (end_date >= start_date)
);
CREATE INDEX holiday_dates_idx ON holiday (start_date, end_date);

CREATE TABLE holiday_class (
    holiday_id uuid NOT NULL CONSTRAINT holiday_class_holiday_fkey REFERENCES holiday (id) ON DELETE CASCADE,
    class_id   uuid NOT NULL CONSTRAINT holiday_class_class_fkey REFERENCES class (id) ON DELETE CASCADE,
    PRIMARY KEY (holiday_id, class_id)
);
CREATE INDEX holiday_class_class_idx ON holiday_class (class_id);

-- One for each student and day. HOLIDAY is never stored: the calendar says it.
CREATE TABLE attendance (
    id           uuid PRIMARY KEY,
    student_id   uuid NOT NULL CONSTRAINT attendance_student_fkey REFERENCES student (id),
    division_id  uuid NOT NULL CONSTRAINT attendance_division_fkey REFERENCES division (id),
    date         date NOT NULL,
    status       text NOT NULL CHECK (status IN ('PRESENT', 'ABSENT', 'LATE', 'LEAVE')),
    late_minutes int CHECK (late_minutes >= 0),
    remark       text NOT NULL DEFAULT '',
    source       text NOT NULL CHECK (source IN ('TEACHER', 'ADMIN', 'LEAVE')),
    leave_id     uuid,
    -- Why the office marked a day that was past.
    reason       text NOT NULL DEFAULT '',
    marked_by    uuid NOT NULL,
    marked_at    timestamptz NOT NULL,
    version      int NOT NULL DEFAULT 1,
    CONSTRAINT attendance_once UNIQUE (student_id, date),
    CONSTRAINT attendance_late_check CHECK (late_minutes IS NULL OR status = 'LATE'),
    CONSTRAINT attendance_leave_check CHECK ((source = 'LEAVE') = (leave_id IS NOT NULL))
);
CREATE INDEX attendance_division_idx ON attendance (division_id, date);
CREATE INDEX attendance_leave_idx ON attendance (leave_id) WHERE leave_id IS NOT NULL;

-- What a mark was before it was changed or taken back, who did that and when: with the
-- mark as it stands, every state it was ever in.
CREATE TABLE attendance_revision (
    attendance_id uuid NOT NULL,
    version       int NOT NULL,
    student_id    uuid NOT NULL CONSTRAINT attendance_revision_student_fkey REFERENCES student (id),
    date          date NOT NULL,
    status        text NOT NULL,
    late_minutes  int,
    remark        text NOT NULL,
    source        text NOT NULL,
    leave_id      uuid,
    reason        text NOT NULL,
    marked_by     uuid NOT NULL,
    marked_at     timestamptz NOT NULL,
    replaced_by   uuid NOT NULL,
    replaced_at   timestamptz NOT NULL,
    PRIMARY KEY (student_id, date, attendance_id, version)
);
REVOKE UPDATE, DELETE, TRUNCATE ON attendance_revision FROM :school_role;

-- How long a notice of absence waits for a correction.
ALTER TABLE school_setting ADD COLUMN attendance_notice_delay_minutes int NOT NULL DEFAULT 0
    CONSTRAINT school_setting_notice_delay_check CHECK (attendance_notice_delay_minutes BETWEEN 0 AND 1440);

-- What people were told about a record.
CREATE INDEX notice_record_idx ON notice (record_id);
