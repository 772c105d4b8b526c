-- Substitutes are told of the lessons they hold for somebody.
ALTER TABLE notice DROP CONSTRAINT notice_type_check;
ALTER TABLE notice ADD CONSTRAINT notice_type_check CHECK (type IN ('ANNOUNCEMENT', 'ATTENDANCE', 'RESULT', 'FEE', 'LEAVE_REQUEST',
    'MESSAGE', 'TRANSPORT', 'LIBRARY', 'TIMETABLE'));
