-- A fee head may be for some students only: its subscribers. Its amount for the year is the
-- structure's, or one of its own, by option, route or stop.
ALTER TABLE fee_head
    ADD COLUMN optional  boolean NOT NULL DEFAULT false,
    ADD COLUMN amount_by text NOT NULL DEFAULT 'CLASS' CHECK (amount_by IN ('CLASS', 'OPTION', 'ROUTE', 'STOP')),
    ADD COLUMN amounts   jsonb NOT NULL DEFAULT '[]',
    ADD CONSTRAINT fee_head_amounts_check CHECK (optional OR amount_by = 'CLASS');

-- 0 where the head has amounts of its own.
ALTER TABLE fee_structure_head
    DROP CONSTRAINT fee_structure_head_amount_check,
    ADD CONSTRAINT fee_structure_head_amount_check CHECK (amount >= 0);

CREATE TABLE fee_subscription (
    id          uuid PRIMARY KEY,
    student_id  uuid NOT NULL CONSTRAINT fee_subscription_student_fkey REFERENCES student (id),
    fee_head_id uuid NOT NULL CONSTRAINT fee_subscription_head_fkey REFERENCES fee_head (id),
    option_id   uuid, -- one of the head's amounts
    from_date   date NOT NULL,
    to_date     date, -- the last day; none is until it is ended
    version     int NOT NULL DEFAULT 1,
    created_by  uuid,
    updated_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT fee_subscription_dates_check CHECK (to_date IS NULL OR to_date >= from_date),
    -- Nobody pays for one head twice.
    CONSTRAINT fee_subscription_overlap_excl EXCLUDE USING gist (student_id extensions.gist_uuid_ops WITH =,
        fee_head_id extensions.gist_uuid_ops WITH =, daterange(from_date, to_date, '[]') WITH &&)
);
CREATE INDEX fee_subscription_head_idx ON fee_subscription (fee_head_id, student_id);
CREATE INDEX fee_subscription_student_idx ON fee_subscription (student_id);
