-- A register is of a division's lesson or of a group's.
ALTER TABLE lesson_register
    ALTER COLUMN division_id DROP NOT NULL,
    ADD COLUMN group_id uuid CONSTRAINT lesson_register_group_fkey REFERENCES student_group (id),
    ADD CONSTRAINT lesson_register_of_check CHECK (num_nonnulls(division_id, group_id) = 1);
CREATE INDEX lesson_register_group_idx ON lesson_register (date, group_id) WHERE group_id IS NOT NULL;
