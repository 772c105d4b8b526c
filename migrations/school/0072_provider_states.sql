-- What providers say of messages after they took them.
ALTER TABLE delivery
    ADD COLUMN delivered_at timestamptz,
    ADD COLUMN seen_at timestamptz;

-- Addresses at which nothing arrives, and those of people who want nothing more on a channel: nothing is sent to them.
CREATE TABLE suppression (
    channel    text NOT NULL CHECK (channel IN ('SMS', 'EMAIL', 'WHATSAPP')),
    recipient  text NOT NULL, -- a phone, or an e-mail address in lower case
    reason     text NOT NULL CHECK (reason IN ('STOPPED', 'BOUNCED')),
    problem    text NOT NULL DEFAULT '', -- in the provider's words
    created_at timestamptz NOT NULL,
    PRIMARY KEY (channel, recipient)
);
