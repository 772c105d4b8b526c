-- The time a bus called at a stop before the last change, and the day of that change, so that families see both for a while.
ALTER TABLE stop ADD COLUMN previous_time time;
ALTER TABLE stop ADD COLUMN time_changed_on date;
