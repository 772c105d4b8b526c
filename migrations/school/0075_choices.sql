-- What a parent chose for one child, where it differs from the choice for all of them.
CREATE TABLE child_preference (
    user_id    uuid NOT NULL CONSTRAINT child_preference_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    student_id uuid NOT NULL CONSTRAINT child_preference_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    type       text NOT NULL,
    push       boolean NOT NULL,
    sms        boolean NOT NULL,
    email      boolean NOT NULL,
    details    boolean NOT NULL,
    PRIMARY KEY (user_id, student_id, type)
);
CREATE INDEX child_preference_student_idx ON child_preference (student_id);

-- The language in which a person gets messages; NULL: the school's.
ALTER TABLE app_user ADD COLUMN language text CONSTRAINT app_user_language_check CHECK (language IN ('en', 'hi', 'ar', 'sw'));
CREATE INDEX app_user_language_idx ON app_user (language) WHERE language IS NOT NULL;
-- The notice in the languages that people of the school have chosen, beside the school's: title, body, teaser, and the body as of
-- the day it was written (today) and of the next (nextDay) where it says "today" or "tomorrow".
ALTER TABLE notice ADD COLUMN texts jsonb;
