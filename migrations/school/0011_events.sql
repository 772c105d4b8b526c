-- Co-curricular events and who comes.

CREATE TABLE event (
    id              uuid PRIMARY KEY,
    title           text NOT NULL,
    description     text NOT NULL DEFAULT '',
    event_date      date NOT NULL,
    -- Without a start it is from the beginning of the day, without an end to the end of it.
    start_time      time,
    end_time        time,
    venue           text NOT NULL DEFAULT '',
    target_audience text NOT NULL DEFAULT 'ALL' CHECK (target_audience IN ('ALL', 'PARENTS', 'STUDENTS', 'TEACHERS', 'CLASSES')),
    organiser_id    uuid CONSTRAINT event_organiser_fkey REFERENCES employee (id),
    capacity        int CHECK (capacity > 0),
    -- How many are signed up; kept with every sign-up, so that the database itself
    -- refuses one too many.
    signed_up       int NOT NULL DEFAULT 0 CHECK (signed_up >= 0),
    -- Whether it is to come, going on or over follows from the clock.
    cancelled_at    timestamptz,
    cancel_reason   text NOT NULL DEFAULT '',
    version         int NOT NULL DEFAULT 1,
    created_by      uuid,
    updated_by      uuid,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_times_check CHECK (end_time > start_time),
    CONSTRAINT event_full_check CHECK (signed_up <= capacity)
);
CREATE INDEX event_date_idx ON event (event_date, id);

-- None is every class.
CREATE TABLE event_class (
    event_id uuid NOT NULL CONSTRAINT event_class_event_fkey REFERENCES event (id) ON DELETE CASCADE,
    class_id uuid NOT NULL CONSTRAINT event_class_class_fkey REFERENCES class (id),
    PRIMARY KEY (event_id, class_id)
);
CREATE INDEX event_class_class_idx ON event_class (class_id);

CREATE TABLE event_sign_up (
    id         uuid PRIMARY KEY,
    event_id   uuid NOT NULL CONSTRAINT event_sign_up_event_fkey REFERENCES event (id),
    student_id uuid NOT NULL CONSTRAINT event_sign_up_student_fkey REFERENCES student (id),
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT event_sign_up_key UNIQUE (event_id, student_id)
);
CREATE INDEX event_sign_up_student_idx ON event_sign_up (student_id);
