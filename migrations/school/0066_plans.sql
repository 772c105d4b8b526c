-- Plans that change are told to those concerned: exams, events and holidays are kinds of their own.
ALTER TABLE notice DROP CONSTRAINT notice_type_check;
ALTER TABLE notice ADD CONSTRAINT notice_type_check CHECK (type IN ('ANNOUNCEMENT', 'ATTENDANCE', 'RESULT', 'FEE', 'LEAVE_REQUEST',
    'MESSAGE', 'TRANSPORT', 'LIBRARY', 'TIMETABLE', 'EXAM', 'EVENT'));
INSERT INTO notice_rule (type, ways) VALUES ('EXAM', '{PUSH,EMAIL}'), ('EVENT', '{PUSH,EMAIL}');

-- Whether the families of a lesson's students are told of substitutions too.
ALTER TABLE school_setting ADD COLUMN substitutions_to_classes boolean NOT NULL DEFAULT false;
