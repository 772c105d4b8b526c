-- Fees: what a class pays, and the ledger that says what everybody owes. The ledger is
-- the only place that knows: what is outstanding is the sum of a student's entries, and
-- nothing else holds it. Its rows are written once and stay.

CREATE TABLE fee_head (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    code       text NOT NULL,
    type       text NOT NULL CHECK (type IN ('TUITION', 'TRANSPORT', 'EXAM', 'LIBRARY', 'FINE', 'OTHER')),
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX fee_head_code_key ON fee_head (lower(code));

CREATE TABLE fee_structure (
    id               uuid PRIMARY KEY,
    academic_year_id uuid NOT NULL CONSTRAINT fee_structure_year_fkey REFERENCES academic_year (id),
    class_id         uuid NOT NULL CONSTRAINT fee_structure_class_fkey REFERENCES class (id),
    name             text NOT NULL,
    pro_rata         boolean NOT NULL DEFAULT true,
    fine_type        text NOT NULL DEFAULT 'NONE' CHECK (fine_type IN ('NONE', 'FIXED', 'PER_DAY')),
    fine_amount      bigint NOT NULL DEFAULT 0 CHECK (fine_amount >= 0),
    fine_grace_days  int NOT NULL DEFAULT 0 CHECK (fine_grace_days BETWEEN 0 AND 366),
    fine_max_amount  bigint NOT NULL DEFAULT 0 CHECK (fine_max_amount >= 0), -- 0 is no limit
    fine_since       date NOT NULL DEFAULT current_date, -- nobody is fined for days before the rule
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT fee_structure_class_key UNIQUE (class_id, academic_year_id)
);

CREATE TABLE fee_structure_head (
    structure_id uuid NOT NULL REFERENCES fee_structure (id) ON DELETE CASCADE,
    fee_head_id  uuid NOT NULL CONSTRAINT fee_structure_head_head_fkey REFERENCES fee_head (id),
    position     smallint NOT NULL,
    amount       bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (structure_id, fee_head_id)
);
CREATE INDEX fee_structure_head_head_idx ON fee_structure_head (fee_head_id);

CREATE TABLE fee_instalment (
    structure_id uuid NOT NULL REFERENCES fee_structure (id) ON DELETE CASCADE,
    number       smallint NOT NULL CHECK (number > 0),
    name         text NOT NULL,
    due_date     date NOT NULL,
    percent      numeric(5, 2) NOT NULL CHECK (percent > 0),
    PRIMARY KEY (structure_id, number)
);
CREATE UNIQUE INDEX fee_instalment_name_key ON fee_instalment (structure_id, lower(name));

-- A student's account has the student's id, a fee head's the head's: a posting needs no
-- look-up. What they owe is a debit there; what they have paid ahead, a credit.
CREATE TABLE ledger_account (
    id         uuid PRIMARY KEY,
    code       text NOT NULL UNIQUE,
    name       text NOT NULL,
    type       text NOT NULL CHECK (type IN ('STUDENT', 'INCOME', 'CASH', 'BANK', 'CONCESSION', 'FINE', 'ADVANCE')),
    student_id uuid UNIQUE CONSTRAINT ledger_account_student_fkey REFERENCES student (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ledger_account_student_check CHECK ((type = 'STUDENT') = (student_id IS NOT NULL) AND (student_id IS NULL OR student_id = id))
);
INSERT INTO ledger_account (id, code, name, type) VALUES
    ('00000000-0000-4000-8000-000000000001', 'CASH', 'Cash', 'CASH'),
    ('00000000-0000-4000-8000-000000000002', 'BANK', 'Bank', 'BANK'),
    ('00000000-0000-4000-8000-000000000003', 'CONCESSION', 'Concessions', 'CONCESSION'),
    ('00000000-0000-4000-8000-000000000004', 'FINE', 'Fines', 'FINE'),
    ('00000000-0000-4000-8000-000000000005', 'LIBRARY', 'Library', 'INCOME'),
    ('00000000-0000-4000-8000-000000000006', 'TRANSPORT', 'Transport', 'INCOME'),
    ('00000000-0000-4000-8000-000000000007', 'EXAM', 'Examinations', 'INCOME'),
    ('00000000-0000-4000-8000-000000000008', 'OTHER', 'Other fees', 'INCOME');
-- What an account is called may change; what it is may not.
REVOKE UPDATE ON ledger_account FROM :school_role;
GRANT UPDATE (name, code) ON ledger_account TO :school_role;

CREATE TABLE ledger_transaction (
    id              uuid PRIMARY KEY,
    kind            text NOT NULL CHECK (kind IN ('CHARGE', 'PAYMENT', 'CONCESSION', 'FINE', 'REVERSAL')),
    value_date      date NOT NULL,
    narration       text NOT NULL,
    reverses_id     uuid CONSTRAINT ledger_transaction_reverses_fkey REFERENCES ledger_transaction (id)
                    CONSTRAINT ledger_transaction_reverses_key UNIQUE,
    -- Says what it is for, so that it is posted once: "charge …", "fine …", "payment …".
    idempotency_key text NOT NULL CONSTRAINT ledger_transaction_key_key UNIQUE,
    created_by      uuid,
    created_at      timestamptz NOT NULL,
    CONSTRAINT ledger_transaction_reversal_check CHECK ((kind = 'REVERSAL') = (reverses_id IS NOT NULL))
);

-- What a student is asked for. Its amount is the sum of the entries that name it.
CREATE TABLE fee_invoice (
    id               uuid PRIMARY KEY,
    academic_year_id uuid NOT NULL REFERENCES academic_year (id),
    number           text NOT NULL,
    student_id       uuid NOT NULL CONSTRAINT fee_invoice_student_fkey REFERENCES ledger_account (student_id),
    structure_id     uuid CONSTRAINT fee_invoice_structure_fkey REFERENCES fee_structure (id),
    instalment       smallint,
    name             text NOT NULL,
    due_date         date NOT NULL,
    lines            jsonb NOT NULL,
    transaction_id   uuid NOT NULL UNIQUE REFERENCES ledger_transaction (id),
    created_at       timestamptz NOT NULL,
    CONSTRAINT fee_invoice_number_key UNIQUE (academic_year_id, number),
    -- An instalment is charged once, however often it is asked for.
    CONSTRAINT fee_invoice_once_key UNIQUE (student_id, structure_id, instalment),
    CONSTRAINT fee_invoice_entry_key UNIQUE (id, student_id, due_date),
    CONSTRAINT fee_invoice_instalment_check CHECK ((structure_id IS NULL) = (instalment IS NULL))
);
CREATE INDEX fee_invoice_structure_idx ON fee_invoice (structure_id, instalment) WHERE structure_id IS NOT NULL;

CREATE TABLE ledger_entry (
    transaction_id uuid NOT NULL CONSTRAINT ledger_entry_transaction_fkey REFERENCES ledger_transaction (id),
    line           smallint NOT NULL,
    account_id     uuid NOT NULL CONSTRAINT ledger_entry_account_fkey REFERENCES ledger_account (id),
    entry_type     text NOT NULL CHECK (entry_type IN ('DR', 'CR')),
    amount         bigint NOT NULL CHECK (amount > 0),
    -- Which invoice of the student's it makes larger or smaller; none for money, which
    -- settles the oldest first. The due date is the invoice's: the foreign key sees to it.
    invoice_id     uuid,
    due_date       date,
    PRIMARY KEY (transaction_id, line),
    CONSTRAINT ledger_entry_invoice_fkey FOREIGN KEY (invoice_id, account_id, due_date) REFERENCES fee_invoice (id, student_id, due_date),
    CONSTRAINT ledger_entry_invoice_check CHECK ((invoice_id IS NULL) = (due_date IS NULL))
);
CREATE INDEX ledger_entry_account_idx ON ledger_entry (account_id);

CREATE TABLE fee_receipt (
    id               uuid PRIMARY KEY,
    academic_year_id uuid NOT NULL REFERENCES academic_year (id),
    number           int NOT NULL CHECK (number > 0),
    receipt_number   text NOT NULL,
    student_id       uuid NOT NULL CONSTRAINT fee_receipt_student_fkey REFERENCES ledger_account (student_id),
    transaction_id   uuid NOT NULL UNIQUE REFERENCES ledger_transaction (id),
    amount           bigint NOT NULL CHECK (amount > 0),
    payment_mode     text NOT NULL CHECK (payment_mode IN ('CASH', 'CHEQUE', 'CARD', 'UPI', 'BANK_TRANSFER', 'ONLINE')),
    reference_number text NOT NULL DEFAULT '',
    received_on      date NOT NULL,
    received_at      timestamptz NOT NULL,
    received_by      uuid,
    -- What it settled when it was written, for the paper; who owes what is the ledger's to say.
    allocations      jsonb NOT NULL,
    CONSTRAINT fee_receipt_number_key UNIQUE (academic_year_id, number)
);
CREATE INDEX fee_receipt_student_idx ON fee_receipt (student_id);
CREATE INDEX fee_receipt_day_idx ON fee_receipt (received_on);

CREATE TABLE fee_concession (
    id               uuid PRIMARY KEY,
    student_id       uuid NOT NULL CONSTRAINT fee_concession_student_fkey REFERENCES ledger_account (student_id),
    academic_year_id uuid NOT NULL REFERENCES academic_year (id),
    fee_head_id      uuid CONSTRAINT fee_concession_head_fkey REFERENCES fee_head (id),
    invoice_id       uuid CONSTRAINT fee_concession_invoice_fkey REFERENCES fee_invoice (id),
    mode             text NOT NULL CHECK (mode IN ('PERCENT', 'AMOUNT')),
    value            numeric(15, 2) NOT NULL CHECK (value > 0),
    category         text NOT NULL CHECK (category IN ('SIBLING', 'STAFF', 'MERIT', 'OTHER')),
    reason           text NOT NULL,
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX fee_concession_student_idx ON fee_concession (student_id);

-- Late fines by rule: one for an invoice and a day, however often the day's run is begun.
CREATE TABLE fee_fine (
    invoice_id     uuid NOT NULL REFERENCES fee_invoice (id),
    day            date NOT NULL,
    amount         bigint NOT NULL CHECK (amount > 0),
    transaction_id uuid NOT NULL UNIQUE REFERENCES ledger_transaction (id),
    PRIMARY KEY (invoice_id, day)
);
CREATE TABLE fee_fine_run (
    day    date PRIMARY KEY,
    run_at timestamptz NOT NULL
);

-- Nobody is reminded twice on one day.
CREATE TABLE fee_reminder (
    student_id uuid NOT NULL CONSTRAINT fee_reminder_student_fkey REFERENCES student (id),
    day        date NOT NULL,
    amount     bigint NOT NULL,
    sent_by    uuid,
    sent_at    timestamptz NOT NULL,
    PRIMARY KEY (student_id, day)
);

ALTER TABLE school_setting ADD COLUMN fee_reminder_text text NOT NULL DEFAULT 'Dear parent, {amount} is outstanding for {student}, due on {dueDate}. Please pay at your earliest convenience.'
    CONSTRAINT school_setting_fee_reminder_check CHECK (fee_reminder_text !~ '\{(?!(student|amount|dueDate)\})');

-- A transaction that does not balance cannot be committed, whoever writes it.
CREATE FUNCTION ledger_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT sum(CASE entry_type WHEN 'DR' THEN amount ELSE -amount END) FROM ledger_entry WHERE transaction_id = NEW.transaction_id) <> 0 THEN
        RAISE EXCEPTION 'ledger transaction % does not balance', NEW.transaction_id USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger_entry_balances AFTER INSERT ON ledger_entry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_balances();

-- What was written in the ledger stays as it was written, for the schema's owner too.
CREATE FUNCTION ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER ledger_transaction_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transaction EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER ledger_entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER fee_invoice_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON fee_invoice EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER fee_receipt_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON fee_receipt EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER fee_fine_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON fee_fine EXECUTE FUNCTION ledger_stays();
REVOKE UPDATE, DELETE, TRUNCATE ON ledger_transaction, ledger_entry, fee_invoice, fee_receipt, fee_fine FROM :school_role;
