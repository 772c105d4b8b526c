-- A detail is in everybody's log, and is sent to those who asked for the details of its type: the steps of a bus trip.
ALTER TABLE notice ADD COLUMN detail boolean NOT NULL DEFAULT false;
ALTER TABLE notification_preference ADD COLUMN details boolean NOT NULL DEFAULT false;
