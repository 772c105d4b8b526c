-- Students of one or more divisions who are taught a subject together: an elective, a
-- language, half a class in the laboratory.
CREATE TABLE student_group (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    subject_id uuid NOT NULL CONSTRAINT student_group_subject_fkey REFERENCES subject (id),
    kind       text NOT NULL DEFAULT 'ELECTIVE' CHECK (kind IN ('ELECTIVE', 'BATCH')),
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX student_group_name_key ON student_group (lower(name));
CREATE INDEX student_group_subject_idx ON student_group (subject_id);

CREATE TABLE student_group_division (
    group_id    uuid NOT NULL CONSTRAINT student_group_division_group_fkey REFERENCES student_group (id) ON DELETE CASCADE,
    division_id uuid NOT NULL CONSTRAINT student_group_division_division_fkey REFERENCES division (id),
    PRIMARY KEY (group_id, division_id)
);
CREATE INDEX student_group_division_idx ON student_group_division (division_id);

-- Who is in a group on a day also sits in one of its divisions then: who leaves the class
-- leaves the group by it.
CREATE TABLE student_group_member (
    id         uuid PRIMARY KEY,
    group_id   uuid NOT NULL CONSTRAINT student_group_member_group_fkey REFERENCES student_group (id),
    student_id uuid NOT NULL CONSTRAINT student_group_member_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    from_date  date NOT NULL,
    to_date    date, -- the last day; none is until it is ended
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT student_group_member_dates_check CHECK (to_date IS NULL OR to_date >= from_date),
    CONSTRAINT student_group_member_overlap_excl EXCLUDE USING gist (student_id extensions.gist_uuid_ops WITH =,
        group_id extensions.gist_uuid_ops WITH =, daterange(from_date, to_date, '[]') WITH &&)
);
CREATE INDEX student_group_member_group_idx ON student_group_member (group_id);
CREATE INDEX student_group_member_student_idx ON student_group_member (student_id);

-- A lesson is a division's or a group's.
ALTER TABLE timetable_slot
    ALTER COLUMN division_id DROP NOT NULL,
    ADD COLUMN group_id uuid CONSTRAINT timetable_slot_group_fkey REFERENCES student_group (id),
    ADD CONSTRAINT timetable_slot_of_check CHECK (num_nonnulls(division_id, group_id) = 1);
CREATE UNIQUE INDEX timetable_slot_group_key ON timetable_slot (group_id, day_of_week, period_id) WHERE group_id IS NOT NULL;

-- A class can sit two electives at one time. Who takes both is looked for when papers are set, one change at a time.
ALTER TABLE exam_paper
    DROP CONSTRAINT exam_paper_class_excl,
    ADD CONSTRAINT exam_paper_class_excl EXCLUDE USING gist (class_id extensions.gist_uuid_ops WITH =,
        subject_id extensions.gist_uuid_ops WITH =, tsrange(exam_date + start_time, exam_date + end_time) WITH &&)
        DEFERRABLE INITIALLY DEFERRED;
