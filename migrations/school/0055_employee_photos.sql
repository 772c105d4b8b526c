-- Photos of employees, as students have them.
ALTER TABLE employee ADD COLUMN photo_file_id uuid CONSTRAINT employee_photo_fkey REFERENCES file (id);
CREATE INDEX employee_photo_idx ON employee (photo_file_id) WHERE photo_file_id IS NOT NULL;
