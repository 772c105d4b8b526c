-- The school's children, where they sit on every date, and who answers for them.

CREATE TABLE student (
    id                      uuid PRIMARY KEY,
    admission_number        text NOT NULL,
    first_name              text NOT NULL,
    last_name               text NOT NULL DEFAULT '',
    -- The class they were admitted to; where they sit is said by their enrolment.
    class_id                uuid CONSTRAINT student_class_fkey REFERENCES class (id),
    gender                  text NOT NULL DEFAULT '' CHECK (gender IN ('', 'FEMALE', 'MALE', 'OTHER')),
    date_of_birth           date,
    blood_group             text NOT NULL DEFAULT '',
    address                 text NOT NULL DEFAULT '',
    phone                   text NOT NULL DEFAULT '',
    email                   text NOT NULL DEFAULT '',
    photo_file_id           uuid,
    admission_date          date NOT NULL,
    previous_school         text NOT NULL DEFAULT '',
    medical_notes           text NOT NULL DEFAULT '',
    allergies               text NOT NULL DEFAULT '',
    emergency_contact_name  text NOT NULL DEFAULT '',
    emergency_contact_phone text NOT NULL DEFAULT '',
    status                  text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'TRANSFERRED', 'GRADUATED', 'WITHDRAWN')),
    leaving_date            date,
    leaving_reason          text NOT NULL DEFAULT '',
    custom_fields           jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_fields) = 'object'),
    -- Name, admission number and phones, theirs and their guardians', without case and accents.
    search_text             text NOT NULL DEFAULT '',
    -- A student with history leaves every list and stays in the books.
    deleted_at              timestamptz,
    version                 int NOT NULL DEFAULT 1,
    created_by              uuid,
    updated_by              uuid,
    created_at              timestamptz NOT NULL DEFAULT now(),
    updated_at              timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX student_admission_number_key ON student (lower(admission_number));
CREATE INDEX student_search_idx ON student USING gin (search_text extensions.gin_trgm_ops);
CREATE INDEX student_name_idx ON student (first_name, id);
CREATE INDEX student_class_idx ON student (class_id) WHERE class_id IS NOT NULL;

-- The next admission number of each prefix the school's pattern makes.
CREATE TABLE number_series (
    name text PRIMARY KEY,
    next bigint NOT NULL DEFAULT 1
);

-- A roster on a date is the enrolments that cover it.
CREATE TABLE enrolment (
    id               uuid PRIMARY KEY,
    student_id       uuid NOT NULL CONSTRAINT enrolment_student_fkey REFERENCES student (id),
    academic_year_id uuid NOT NULL CONSTRAINT enrolment_year_fkey REFERENCES academic_year (id),
    class_id         uuid NOT NULL CONSTRAINT enrolment_class_fkey REFERENCES class (id),
    division_id      uuid NOT NULL CONSTRAINT enrolment_division_fkey REFERENCES division (id),
    roll_number      int CHECK (roll_number > 0),
    start_date       date NOT NULL,
    end_date         date,
    outcome          text CHECK (outcome IN ('PROMOTED', 'RETAINED', 'LEFT', 'MOVED')),
    -- The promotion that made it, so that the promotion can be undone.
    promotion_id     uuid,
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT enrolment_dates_check CHECK (end_date IS NULL OR end_date >= start_date),
    -- Nobody sits in two divisions on one day.
    CONSTRAINT enrolment_overlap_excl EXCLUDE USING gist
        (student_id extensions.gist_uuid_ops WITH =, daterange(start_date, end_date, '[]') WITH &&),
    CONSTRAINT enrolment_roll_excl EXCLUDE USING gist
        (division_id extensions.gist_uuid_ops WITH =, roll_number extensions.gist_int4_ops WITH =, daterange(start_date, end_date, '[]') WITH &&)
        WHERE (roll_number IS NOT NULL)
);
CREATE UNIQUE INDEX enrolment_open_key ON enrolment (student_id) WHERE end_date IS NULL;
CREATE INDEX enrolment_student_idx ON enrolment (student_id, start_date);
CREATE INDEX enrolment_division_idx ON enrolment (division_id, start_date);
CREATE INDEX enrolment_promotion_idx ON enrolment (promotion_id) WHERE promotion_id IS NOT NULL;

CREATE TABLE guardian (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL UNIQUE CONSTRAINT guardian_user_fkey REFERENCES app_user (id),
    first_name text NOT NULL,
    last_name  text NOT NULL DEFAULT '',
    phone      text NOT NULL,
    email      text NOT NULL DEFAULT '',
    occupation text NOT NULL DEFAULT '',
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
-- Siblings share a parent's account, which is found by phone.
CREATE UNIQUE INDEX guardian_phone_key ON guardian (phone);

CREATE TABLE student_guardian (
    id            uuid PRIMARY KEY,
    student_id    uuid NOT NULL CONSTRAINT student_guardian_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    guardian_id   uuid NOT NULL CONSTRAINT student_guardian_guardian_fkey REFERENCES guardian (id),
    relation      text NOT NULL CHECK (relation IN ('FATHER', 'MOTHER', 'GUARDIAN', 'OTHER')),
    is_primary    boolean NOT NULL DEFAULT false,
    has_custody   boolean NOT NULL DEFAULT true,
    can_view_data boolean NOT NULL DEFAULT true,
    can_pick_up   boolean NOT NULL DEFAULT true,
    is_fee_payer  boolean NOT NULL DEFAULT false,
    version       int NOT NULL DEFAULT 1,
    created_by    uuid,
    updated_by    uuid,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT student_guardian_key UNIQUE (student_id, guardian_id)
);
CREATE UNIQUE INDEX student_guardian_primary_key ON student_guardian (student_id) WHERE is_primary;
CREATE INDEX student_guardian_guardian_idx ON student_guardian (guardian_id);
