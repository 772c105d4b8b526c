-- The number of a write-off's receipt. What was given up, whose and why stands in the ledger.
CREATE TABLE fee_write_off (
    transaction_id   uuid PRIMARY KEY REFERENCES ledger_transaction (id),
    academic_year_id uuid NOT NULL REFERENCES academic_year (id),
    number           int NOT NULL CHECK (number > 0),
    write_off_number text NOT NULL,
    CONSTRAINT fee_write_off_number_key UNIQUE (academic_year_id, number)
);
INSERT INTO fee_write_off (transaction_id, academic_year_id, number, write_off_number)
    SELECT id, year, number, name || '/WO-' || lpad(number::text, greatest(6, length(number::text)), '0')
    FROM (SELECT t.id, y.id AS year, trim(y.name) AS name, row_number() OVER (PARTITION BY y.id ORDER BY t.created_at, t.id) AS number
        FROM ledger_transaction t CROSS JOIN LATERAL (SELECT a.id, a.name FROM academic_year a
            ORDER BY (t.value_date BETWEEN a.start_date AND a.end_date) DESC, a.active DESC, a.start_date DESC LIMIT 1) y
        WHERE t.kind = 'WRITE_OFF') w;
INSERT INTO number_series (name, next) SELECT 'fee write-off ' || academic_year_id, max(number) + 1 FROM fee_write_off GROUP BY academic_year_id;
REVOKE UPDATE, DELETE, TRUNCATE ON fee_write_off FROM :school_role;
