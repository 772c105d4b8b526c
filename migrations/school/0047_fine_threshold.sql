-- Late fines leave small amounts alone: an invoice with less than this open is not fined. 0 fines any amount.
ALTER TABLE school_setting ADD COLUMN late_fine_threshold bigint NOT NULL DEFAULT 0 CHECK (late_fine_threshold BETWEEN 0 AND 1000000000000);
