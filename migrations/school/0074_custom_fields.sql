-- Fields that the school itself defines for its students, guardians and employees. A record has its values by their keys,
-- which stay when a field is renamed or retired.
CREATE TABLE custom_field (
    id         uuid PRIMARY KEY,
    applies_to text NOT NULL CHECK (applies_to IN ('STUDENT', 'GUARDIAN', 'EMPLOYEE')),
    key        text NOT NULL,
    label      text NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('TEXT', 'NUMBER', 'DATE', 'YES_NO', 'CHOICE')),
    options    jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(options) = 'array'),
    required   boolean NOT NULL DEFAULT false,
    in_list    boolean NOT NULL DEFAULT false,
    personal   boolean NOT NULL DEFAULT true,
    position   int NOT NULL,
    retired    boolean NOT NULL DEFAULT false,
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT custom_field_key_key UNIQUE (applies_to, key)
);
CREATE UNIQUE INDEX custom_field_label_key ON custom_field (applies_to, lower(label));

ALTER TABLE guardian ADD COLUMN custom_fields jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_fields) = 'object');
ALTER TABLE employee ADD COLUMN custom_fields jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_fields) = 'object');
