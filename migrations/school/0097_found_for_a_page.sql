-- The list of write-offs is read by its day, and whose a blocked address is by the address.
CREATE INDEX ledger_transaction_write_off_idx ON ledger_transaction (value_date, id) WHERE kind = 'WRITE_OFF';
CREATE INDEX guardian_email_idx ON guardian (lower(email)) WHERE email <> '';
CREATE INDEX employee_email_idx ON employee (lower(email)) WHERE email <> '';
