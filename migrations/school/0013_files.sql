-- Files people give to the school: what they are is kept here, their bytes are not.

CREATE TABLE file (
    id            uuid PRIMARY KEY,
    purpose       text NOT NULL CHECK (purpose IN ('ATTACHMENT', 'PHOTO', 'LOGO')),
    original_name text NOT NULL,
    content_type  text NOT NULL,
    size_bytes    bigint NOT NULL CHECK (size_bytes > 0),
    sha256        bytea NOT NULL,
    storage_key   text NOT NULL,
    -- Empty where there is none.
    thumbnail_key text NOT NULL DEFAULT '',
    uploaded_by   uuid NOT NULL,
    created_at    timestamptz NOT NULL
);
CREATE INDEX file_uploaded_idx ON file (uploaded_by, created_at DESC);

-- The records a file belongs to: who may read the record may read the file.
CREATE TABLE file_link (
    file_id   uuid NOT NULL CONSTRAINT file_link_file_fkey REFERENCES file (id),
    kind      text NOT NULL,
    record_id uuid NOT NULL,
    position  int NOT NULL DEFAULT 0,
    PRIMARY KEY (file_id, kind, record_id)
);
CREATE INDEX file_link_record_idx ON file_link (kind, record_id, position);
