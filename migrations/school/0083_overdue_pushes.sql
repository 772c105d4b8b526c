-- A push that its provider does not take in the time of the school's rule lets the next way go.
ALTER TABLE delivery
    ADD COLUMN due_at     timestamptz,
    ADD COLUMN overdue_at timestamptz;
COMMENT ON COLUMN delivery.due_at IS 'When it was first to be sent: what next_at was at the first try. NULL: it was not tried yet.';
COMMENT ON COLUMN delivery.overdue_at IS 'When the next way was looked for, since no provider had taken it in time.';
