-- Notices that one act of the office sends to many, each about a record of its own: reminders of fees, of books, and charges of a
-- class. Whom they reached is seen together.
CREATE TABLE notice_batch (
    id      uuid PRIMARY KEY,
    kind    text NOT NULL CHECK (kind IN ('FEE_REMINDER', 'FEE_CHARGE', 'OVERDUE_BOOKS')),
    sent_at timestamptz NOT NULL,
    sent_by uuid
);
CREATE INDEX notice_batch_sent_idx ON notice_batch (sent_at DESC, id);
CREATE INDEX notice_batch_kind_idx ON notice_batch (kind, sent_at DESC, id);

ALTER TABLE notice ADD COLUMN batch_id uuid;
ALTER TABLE notification ADD COLUMN batch_id uuid;
ALTER TABLE delivery ADD COLUMN batch_id uuid;
CREATE INDEX notification_batch_idx ON notification (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX delivery_batch_idx ON delivery (batch_id, user_id) WHERE batch_id IS NOT NULL;
COMMENT ON COLUMN notification.batch_id IS 'The act that told many of it; NULL: it told of this alone.';
