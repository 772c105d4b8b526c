-- What the school says to many at once.

CREATE TABLE announcement (
    id              uuid PRIMARY KEY,
    title           text NOT NULL,
    body            text NOT NULL,
    target_audience text NOT NULL CHECK (target_audience IN ('ALL', 'PARENTS', 'TEACHERS')),
    status          text NOT NULL CHECK (status IN ('DRAFT', 'SCHEDULED', 'PUBLISHED', 'WITHDRAWN')),
    publish_at      timestamptz,
    published_at    timestamptz,
    expires_at      timestamptz,
    -- Everyone addressed has their line in the log.
    told_at         timestamptz,
    version         int NOT NULL DEFAULT 1,
    created_by      uuid,
    updated_by      uuid,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    CONSTRAINT announcement_scheduled_check CHECK (status <> 'SCHEDULED' OR publish_at IS NOT NULL),
    CONSTRAINT announcement_expiry_check CHECK (expires_at IS NULL OR publish_at IS NULL OR expires_at > publish_at)
);
CREATE INDEX announcement_published_idx ON announcement (published_at DESC, id DESC) WHERE status = 'PUBLISHED';
CREATE INDEX announcement_created_idx ON announcement (created_at DESC, id DESC);

-- Whom it is narrowed to: whole classes, or divisions. Without any it is for the school.
CREATE TABLE announcement_target (
    announcement_id uuid NOT NULL CONSTRAINT announcement_target_announcement_fkey REFERENCES announcement (id) ON DELETE CASCADE,
    class_id        uuid CONSTRAINT announcement_target_class_fkey REFERENCES class (id),
    division_id     uuid CONSTRAINT announcement_target_division_fkey REFERENCES division (id),
    CONSTRAINT announcement_target_one CHECK ((class_id IS NULL) <> (division_id IS NULL)),
    CONSTRAINT announcement_target_key UNIQUE NULLS NOT DISTINCT (announcement_id, class_id, division_id)
);
CREATE INDEX announcement_target_class_idx ON announcement_target (class_id) WHERE class_id IS NOT NULL;
CREATE INDEX announcement_target_division_idx ON announcement_target (division_id) WHERE division_id IS NOT NULL;
