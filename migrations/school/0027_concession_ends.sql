-- A concession can end during its year: instalments due from ends_on on are charged
-- whole. What it has taken off invoices stays.
ALTER TABLE fee_concession ADD COLUMN ends_on date;

-- Receipts are listed newest first.
CREATE INDEX fee_receipt_moment_idx ON fee_receipt (received_at, id);
