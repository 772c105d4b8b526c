-- What a school has decided for the turn of the year: READY until the new year's first day, then DONE. One that is taken back is gone.
CREATE TABLE year_plan (
    to_year_id   uuid PRIMARY KEY CONSTRAINT year_plan_to_year_fkey REFERENCES academic_year (id),
    from_year_id uuid NOT NULL CONSTRAINT year_plan_from_year_fkey REFERENCES academic_year (id),
    state        text NOT NULL DEFAULT 'READY' CHECK (state IN ('READY', 'DONE')),
    plan_hash    text NOT NULL,
    choices      jsonb NOT NULL,
    parts        jsonb NOT NULL,              -- of the dry run that was confirmed, then what was done
    made         jsonb NOT NULL DEFAULT '{}', -- by part: what undoing it needs
    created_by   uuid,
    created_at   timestamptz NOT NULL DEFAULT now(),
    done_at      timestamptz
);
