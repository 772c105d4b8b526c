-- Money given back, and dues that are given up, are transactions of kinds of their own.
ALTER TABLE ledger_transaction DROP CONSTRAINT ledger_transaction_kind_check;
ALTER TABLE ledger_transaction ADD CONSTRAINT ledger_transaction_kind_check
    CHECK (kind IN ('CHARGE', 'PAYMENT', 'CONCESSION', 'FINE', 'REVERSAL', 'REFUND', 'WRITE_OFF'));
ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_type_check;
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_type_check
    CHECK (type IN ('STUDENT', 'INCOME', 'CASH', 'BANK', 'CONCESSION', 'FINE', 'ADVANCE', 'EXPENSE'));
INSERT INTO ledger_account (id, code, name, type) VALUES ('00000000-0000-4000-8000-000000000021', 'WRITE_OFF', 'Written off', 'EXPENSE');

-- The receipt of a payment out. What was typed on it may be erased; nothing else of it changes.
CREATE TABLE fee_refund (
    id               uuid PRIMARY KEY,
    academic_year_id uuid NOT NULL REFERENCES academic_year (id),
    number           int NOT NULL CHECK (number > 0),
    refund_number    text NOT NULL,
    student_id       uuid NOT NULL CONSTRAINT fee_refund_student_fkey REFERENCES ledger_account (student_id),
    transaction_id   uuid NOT NULL UNIQUE REFERENCES ledger_transaction (id),
    amount           bigint NOT NULL CHECK (amount > 0),
    payment_mode     text NOT NULL CHECK (payment_mode IN ('CASH', 'CHEQUE', 'CARD', 'UPI', 'BANK_TRANSFER', 'ONLINE')),
    reference_number text NOT NULL DEFAULT '',
    reason           text NOT NULL,
    paid_on          date NOT NULL,
    paid_at          timestamptz NOT NULL,
    paid_by          uuid,
    CONSTRAINT fee_refund_number_key UNIQUE (academic_year_id, number)
);
CREATE INDEX fee_refund_student_idx ON fee_refund (student_id);
CREATE INDEX fee_refund_day_idx ON fee_refund (paid_on);
CREATE INDEX fee_refund_moment_idx ON fee_refund (paid_at, id);
REVOKE UPDATE, DELETE, TRUNCATE ON fee_refund FROM :school_role;
GRANT UPDATE (reference_number, reason) ON fee_refund TO :school_role;
