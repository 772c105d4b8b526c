-- The library: books, their copies, who has which, and who waits. Whether a copy is on
-- the shelf is said by its loans and holds and is kept nowhere else.

CREATE TABLE book (
    id             uuid PRIMARY KEY,
    title          text NOT NULL,
    author         text NOT NULL DEFAULT '',
    isbn           text NOT NULL DEFAULT '',
    publisher      text NOT NULL DEFAULT '',
    published_year int CHECK (published_year BETWEEN 1000 AND 2999),
    category       text NOT NULL DEFAULT '',
    -- What a lost copy costs, in minor units; 0 is unknown.
    price          bigint NOT NULL DEFAULT 0 CHECK (price >= 0),
    search_text    text NOT NULL DEFAULT '',
    -- Title and author as files are compared by.
    match_key      text NOT NULL DEFAULT '',
    version        int NOT NULL DEFAULT 1,
    created_by     uuid,
    updated_by     uuid,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX book_isbn_key ON book (translate(upper(isbn), '- ', '')) WHERE isbn <> '';
CREATE INDEX book_search_idx ON book USING gin (search_text extensions.gin_trgm_ops);
CREATE INDEX book_title_idx ON book (title, id);
CREATE INDEX book_author_idx ON book (author, id);
CREATE INDEX book_created_idx ON book (created_at, id);
CREATE INDEX book_match_idx ON book USING hash (match_key);

CREATE TABLE book_copy (
    id               uuid PRIMARY KEY,
    book_id          uuid NOT NULL CONSTRAINT book_copy_book_fkey REFERENCES book (id),
    accession_number text NOT NULL,
    barcode          text NOT NULL DEFAULT '',
    shelf            text NOT NULL DEFAULT '',
    state            text NOT NULL DEFAULT 'GOOD' CHECK (state IN ('GOOD', 'LOST', 'WITHDRAWN')),
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX book_copy_accession_key ON book_copy (lower(accession_number));
CREATE UNIQUE INDEX book_copy_barcode_key ON book_copy (lower(barcode)) WHERE barcode <> '';
CREATE INDEX book_copy_book_idx ON book_copy (book_id);

CREATE TABLE library_loan (
    id                  uuid PRIMARY KEY,
    copy_id             uuid NOT NULL CONSTRAINT library_loan_copy_fkey REFERENCES book_copy (id),
    student_id          uuid CONSTRAINT library_loan_student_fkey REFERENCES student (id),
    employee_id         uuid CONSTRAINT library_loan_employee_fkey REFERENCES employee (id),
    issued_on           date NOT NULL,
    due_on              date NOT NULL,
    renewals            int NOT NULL DEFAULT 0 CHECK (renewals >= 0),
    closed_on           date,
    outcome             text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'RETURNED', 'LOST')),
    -- What was posted to the student's account.
    fine                bigint NOT NULL DEFAULT 0 CHECK (fine >= 0),
    fine_transaction_id uuid CONSTRAINT library_loan_fine_fkey REFERENCES ledger_transaction (id),
    charge              bigint NOT NULL DEFAULT 0 CHECK (charge >= 0),
    charge_transaction_id uuid CONSTRAINT library_loan_charge_fkey REFERENCES ledger_transaction (id),
    version             int NOT NULL DEFAULT 1,
    created_by          uuid,
    updated_by          uuid,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT library_loan_borrower_check CHECK ((student_id IS NULL) <> (employee_id IS NULL)),
    CONSTRAINT library_loan_dates_check CHECK (due_on >= issued_on AND closed_on >= issued_on),
    CONSTRAINT library_loan_closed_check CHECK ((closed_on IS NULL) = (outcome = ''))
);
-- A copy is with one borrower at a time.
CREATE UNIQUE INDEX library_loan_open_key ON library_loan (copy_id) WHERE closed_on IS NULL;
CREATE INDEX library_loan_copy_idx ON library_loan (copy_id);
CREATE INDEX library_loan_student_idx ON library_loan (student_id) WHERE student_id IS NOT NULL;
CREATE INDEX library_loan_employee_idx ON library_loan (employee_id) WHERE employee_id IS NOT NULL;
CREATE INDEX library_loan_due_idx ON library_loan (due_on, id) WHERE closed_on IS NULL;
CREATE INDEX library_loan_issued_idx ON library_loan (issued_on, id);

CREATE TABLE library_reservation (
    id          uuid PRIMARY KEY,
    book_id     uuid NOT NULL CONSTRAINT library_reservation_book_fkey REFERENCES book (id),
    student_id  uuid CONSTRAINT library_reservation_student_fkey REFERENCES student (id),
    employee_id uuid CONSTRAINT library_reservation_employee_fkey REFERENCES employee (id),
    status      text NOT NULL DEFAULT 'WAITING' CHECK (status IN ('WAITING', 'READY', 'FULFILLED', 'CANCELLED', 'EXPIRED')),
    -- The copy that is kept for them, and the last day it is.
    copy_id     uuid CONSTRAINT library_reservation_copy_fkey REFERENCES book_copy (id),
    hold_until  date,
    version     int NOT NULL DEFAULT 1,
    created_by  uuid,
    updated_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT library_reservation_borrower_check CHECK ((student_id IS NULL) <> (employee_id IS NULL)),
    CONSTRAINT library_reservation_ready_check CHECK (status <> 'READY' OR (copy_id IS NOT NULL AND hold_until IS NOT NULL))
);
CREATE UNIQUE INDEX library_reservation_once_key ON library_reservation (book_id, coalesce(student_id, employee_id)) WHERE status IN ('WAITING', 'READY');
CREATE UNIQUE INDEX library_reservation_hold_key ON library_reservation (copy_id) WHERE status = 'READY';
CREATE INDEX library_reservation_queue_idx ON library_reservation (book_id, created_at, id) WHERE status = 'WAITING';
CREATE INDEX library_reservation_copy_idx ON library_reservation (copy_id) WHERE copy_id IS NOT NULL;
CREATE INDEX library_reservation_created_idx ON library_reservation (created_at, id);
CREATE INDEX library_reservation_student_idx ON library_reservation (student_id) WHERE student_id IS NOT NULL;
CREATE INDEX library_reservation_employee_idx ON library_reservation (employee_id) WHERE employee_id IS NOT NULL;

ALTER TABLE school_setting
    ADD COLUMN library_student_books int NOT NULL DEFAULT 3 CONSTRAINT school_setting_library_check CHECK (library_student_books BETWEEN 0 AND 1000),
    ADD COLUMN library_student_days int NOT NULL DEFAULT 14 CHECK (library_student_days BETWEEN 1 AND 366),
    ADD COLUMN library_student_renewals int NOT NULL DEFAULT 1 CHECK (library_student_renewals BETWEEN 0 AND 100),
    ADD COLUMN library_employee_books int NOT NULL DEFAULT 10 CHECK (library_employee_books BETWEEN 0 AND 1000),
    ADD COLUMN library_employee_days int NOT NULL DEFAULT 30 CHECK (library_employee_days BETWEEN 1 AND 366),
    ADD COLUMN library_employee_renewals int NOT NULL DEFAULT 2 CHECK (library_employee_renewals BETWEEN 0 AND 100),
    ADD COLUMN library_fine_per_day bigint NOT NULL DEFAULT 0 CHECK (library_fine_per_day BETWEEN 0 AND 1000000000),
    ADD COLUMN library_fine_grace_days int NOT NULL DEFAULT 0 CHECK (library_fine_grace_days BETWEEN 0 AND 366),
    ADD COLUMN library_fine_max_amount bigint NOT NULL DEFAULT 0 CHECK (library_fine_max_amount BETWEEN 0 AND 1000000000000); -- 0 is no limit

-- The library tells people too.
ALTER TABLE notice DROP CONSTRAINT notice_type_check;
ALTER TABLE notice ADD CONSTRAINT notice_type_check CHECK (type IN ('ANNOUNCEMENT', 'ATTENDANCE', 'RESULT', 'FEE', 'LEAVE_REQUEST', 'MESSAGE', 'TRANSPORT', 'LIBRARY'));

-- What one person did, newest first.
CREATE INDEX audit_event_actor_idx ON audit_event (actor_id, occurred_at DESC, id DESC);
