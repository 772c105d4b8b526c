-- Receipts of one payment for several children of a family name it; others name none.
ALTER TABLE fee_receipt ADD COLUMN family_payment_id uuid;
CREATE INDEX fee_receipt_family_payment_idx ON fee_receipt (family_payment_id) WHERE family_payment_id IS NOT NULL;
