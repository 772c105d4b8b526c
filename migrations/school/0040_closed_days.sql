-- A closed day takes no more money: its drawer was counted against what the ledger says.
ALTER TABLE ledger_transaction DROP CONSTRAINT ledger_transaction_kind_check;
ALTER TABLE ledger_transaction ADD CONSTRAINT ledger_transaction_kind_check
    CHECK (kind IN ('CHARGE', 'PAYMENT', 'CONCESSION', 'FINE', 'REVERSAL', 'REFUND', 'WRITE_OFF', 'OPENING', 'CASH_DIFFERENCE'));
INSERT INTO ledger_account (id, code, name, type)
    VALUES ('00000000-0000-4000-8000-000000000022', 'CASH_DIFFERENCE', 'Cash differences', 'EXPENSE');

CREATE TABLE fee_day_closing (
    day            date PRIMARY KEY,
    expected       bigint NOT NULL,
    counted        bigint NOT NULL CHECK (counted >= 0),
    difference     bigint NOT NULL,
    reason         text NOT NULL DEFAULT '',
    transaction_id uuid REFERENCES ledger_transaction (id), -- of the difference, where there is one
    closed_by      uuid,
    closed_at      timestamptz NOT NULL,
    CONSTRAINT fee_day_closing_difference_check CHECK (difference = counted - expected AND (difference = 0) = (transaction_id IS NULL))
);
REVOKE UPDATE, DELETE, TRUNCATE ON fee_day_closing FROM :school_role;
GRANT UPDATE (reason) ON fee_day_closing TO :school_role;
