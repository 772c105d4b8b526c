-- What an office types proves nothing: a phone is its owner's once they have entered a
-- code that was sent to it.

-- When a code was last entered for the phone the account has now. Null: never, so that no
-- PIN opens it and it comes last among the accounts of its phone.
ALTER TABLE account ADD COLUMN phone_proven_at timestamptz;

ALTER TABLE session
    -- The phone its holder has proven to have, and how. Empty for one begun with a password.
    ADD COLUMN proven_phone text NOT NULL DEFAULT '',
    ADD COLUMN proven_by text NOT NULL DEFAULT '' CHECK (proven_by IN ('', 'CODE', 'PIN'));

-- Who signed in by a code since the account was last changed has proven the phone it has.
UPDATE session s SET proven_phone = a.phone, proven_by = 'CODE'
    FROM account a WHERE a.id = s.account_id AND a.phone IS NOT NULL AND s.method = 'OTP' AND s.created_at >= a.updated_at;
UPDATE account a SET phone_proven_at = s.at
    FROM (SELECT account_id, max(created_at) AS at FROM session WHERE proven_phone <> '' GROUP BY account_id) s WHERE s.account_id = a.id;

-- One e-mail may belong to accounts of several schools: to refuse it would tell a school
-- who is at another, and let an office keep an address from its owner.
DROP INDEX account_email_key;
CREATE UNIQUE INDEX account_email_key ON account (school_id, lower(email)) NULLS NOT DISTINCT WHERE email IS NOT NULL;
