-- What a class teacher says of a student's year, on the report card.

CREATE TABLE report_card_remark (
    id               uuid PRIMARY KEY,
    student_id       uuid NOT NULL CONSTRAINT report_card_remark_student_fkey REFERENCES student (id),
    academic_year_id uuid NOT NULL CONSTRAINT report_card_remark_year_fkey REFERENCES academic_year (id),
    remark           text NOT NULL,
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT report_card_remark_key UNIQUE (student_id, academic_year_id)
);

-- Whose photo a file is.
CREATE INDEX student_photo_idx ON student (photo_file_id) WHERE photo_file_id IS NOT NULL;

-- Holds nobody came for are looked for every night.
CREATE INDEX library_reservation_hold_idx ON library_reservation (hold_until) WHERE status = 'READY';

-- After a file of books was read in, a search would go through what the index has not
-- sorted in yet, megabytes of it, or through the whole table: let that be little.
ALTER INDEX book_search_idx SET (gin_pending_list_limit = 256);
