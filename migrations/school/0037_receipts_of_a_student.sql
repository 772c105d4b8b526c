-- The last receipts of a student are looked for before each payment.
CREATE INDEX fee_receipt_student_moment_idx ON fee_receipt (student_id, received_at);
DROP INDEX fee_receipt_student_idx;
