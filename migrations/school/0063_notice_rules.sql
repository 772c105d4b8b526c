-- By which ways people are told of what, one after another: the next is tried when one does not reach, or is not read for a while.
CREATE TABLE notice_rule (
    -- A type of notice, or URGENT: accidents, missing children and urgent announcements.
    type         text PRIMARY KEY,
    ways         text[] NOT NULL
        CONSTRAINT notice_rule_ways_check CHECK (ways <@ ARRAY['PUSH', 'SMS', 'EMAIL'] AND cardinality(ways) BETWEEN 1 AND 3 AND coalesce(array_position(ways, 'PUSH'), 1) = 1),
    -- After how long unread the next way is tried; NULL: only if nobody is reached by this one.
    wait_minutes int CONSTRAINT notice_rule_wait_check CHECK (wait_minutes BETWEEN 1 AND 1440),
    -- Whether a person may have none of it.
    may_turn_off boolean NOT NULL DEFAULT true
);
INSERT INTO notice_rule (type, ways, may_turn_off) VALUES
    ('URGENT', '{PUSH,SMS}', false), ('ATTENDANCE', '{PUSH,SMS}', true), ('TRANSPORT', '{PUSH,SMS}', true),
    ('ANNOUNCEMENT', '{PUSH,EMAIL}', true), ('RESULT', '{PUSH,EMAIL}', true), ('FEE', '{PUSH,EMAIL}', true),
    ('LEAVE_REQUEST', '{PUSH,EMAIL}', true), ('MESSAGE', '{PUSH,EMAIL}', true), ('LIBRARY', '{PUSH,EMAIL}', true),
    ('TIMETABLE', '{PUSH,EMAIL}', true);

ALTER TABLE notice ADD COLUMN alarm boolean NOT NULL DEFAULT false;
ALTER TABLE delivery
    -- Of a way that a rule chose: the rule, the keys of the log's lines it tells, and after how long unread the next is tried.
    ADD COLUMN rule text,
    ADD COLUMN log_keys text[],
    ADD COLUMN wait_minutes int;
