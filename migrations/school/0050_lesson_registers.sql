-- Registers of lessons, for schools that mark by period. A lesson is known by its place in the
-- timetable and the day; its names are kept here, since the timetable goes on changing.
ALTER TABLE school_setting ADD COLUMN attendance_by text NOT NULL DEFAULT 'DAY' CHECK (attendance_by IN ('DAY', 'PERIOD'));

-- LESSON is a day's mark that follows from its lessons.
ALTER TABLE attendance DROP CONSTRAINT attendance_source_check;
ALTER TABLE attendance ADD CONSTRAINT attendance_source_check CHECK (source IN ('TEACHER', 'ADMIN', 'LEAVE', 'LESSON')) NOT VALID;

CREATE TABLE lesson_register (
    id           uuid PRIMARY KEY,
    slot_id      uuid NOT NULL,
    date         date NOT NULL,
    division_id  uuid NOT NULL CONSTRAINT lesson_register_division_fkey REFERENCES division (id),
    period_name  text NOT NULL,
    start_time   time NOT NULL,
    subject_name text NOT NULL,
    marked_by    uuid NOT NULL,
    marked_at    timestamptz NOT NULL,
    version      int NOT NULL DEFAULT 1,
    CONSTRAINT lesson_register_once UNIQUE (slot_id, date)
);
CREATE INDEX lesson_register_division_idx ON lesson_register (division_id, date);

CREATE TABLE lesson_mark (
    register_id  uuid NOT NULL CONSTRAINT lesson_mark_register_fkey REFERENCES lesson_register (id) ON DELETE CASCADE,
    student_id   uuid NOT NULL CONSTRAINT lesson_mark_student_fkey REFERENCES student (id),
    status       text NOT NULL CHECK (status IN ('PRESENT', 'ABSENT', 'LATE', 'LEAVE')),
    late_minutes int CHECK (late_minutes >= 0),
    remark       text NOT NULL DEFAULT '',
    PRIMARY KEY (register_id, student_id)
);
CREATE INDEX lesson_mark_student_idx ON lesson_mark (student_id);
