-- What a student owed, or had in credit, when the school began to keep its fees here: a
-- transaction of a kind of its own, against an account of its own.
ALTER TABLE ledger_transaction DROP CONSTRAINT ledger_transaction_kind_check;
ALTER TABLE ledger_transaction ADD CONSTRAINT ledger_transaction_kind_check
    CHECK (kind IN ('CHARGE', 'PAYMENT', 'CONCESSION', 'FINE', 'REVERSAL', 'REFUND', 'WRITE_OFF', 'OPENING', 'CASH_DIFFERENCE'));
ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_type_check;
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_type_check
    CHECK (type IN ('STUDENT', 'INCOME', 'CASH', 'BANK', 'CONCESSION', 'FINE', 'ADVANCE', 'EXPENSE', 'OPENING'));
INSERT INTO ledger_account (id, code, name, type) VALUES
    ('00000000-0000-4000-8000-000000000031', 'OPENING', 'Opening balances', 'OPENING');
