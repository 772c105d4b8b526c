-- A student whose leaving is settled is at the school until their last day: what they
-- become then waits beside the status they have.

ALTER TABLE student ADD COLUMN leaving_status text CHECK (leaving_status IN ('TRANSFERRED', 'GRADUATED', 'WITHDRAWN'));
CREATE INDEX student_leaving_idx ON student (leaving_date) WHERE leaving_status IS NOT NULL;
