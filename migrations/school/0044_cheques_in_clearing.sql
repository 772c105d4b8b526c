-- A cheque is money once the bank says so: until then it is in an account of its own.
ALTER TABLE ledger_transaction DROP CONSTRAINT ledger_transaction_kind_check;
ALTER TABLE ledger_transaction ADD CONSTRAINT ledger_transaction_kind_check CHECK (kind IN ('CHARGE', 'PAYMENT', 'CONCESSION', 'FINE',
    'REVERSAL', 'REFUND', 'WRITE_OFF', 'OPENING', 'CASH_DIFFERENCE', 'CLEARING'));
ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_type_check;
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_type_check
    CHECK (type IN ('STUDENT', 'INCOME', 'CASH', 'BANK', 'CONCESSION', 'FINE', 'ADVANCE', 'EXPENSE', 'OPENING', 'CLEARING'));
INSERT INTO ledger_account (id, code, name, type)
    VALUES ('00000000-0000-4000-8000-000000000023', 'CLEARING', 'Cheques in clearing', 'CLEARING');

ALTER TABLE fee_receipt ADD COLUMN in_clearing boolean NOT NULL DEFAULT false;
CREATE INDEX fee_receipt_clearing_idx ON fee_receipt (student_id) WHERE in_clearing;
