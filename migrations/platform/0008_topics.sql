-- Phones subscribe to push topics by themselves. What a device may have subscribed to is
-- kept with it, so that it can be taken out of a topic again: when a guardian may not see
-- a child any more, when the session ends, when the phone becomes somebody else's.

ALTER TABLE device_token ADD COLUMN topics text[] NOT NULL DEFAULT '{}';
CREATE INDEX device_token_school_idx ON device_token (school_id);

-- Topics that devices have yet to be taken out of, at the push provider.
CREATE TABLE topic_removal (
    id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    token      text NOT NULL,
    school_id  uuid NOT NULL,
    topics     text[] NOT NULL,
    attempts   int NOT NULL DEFAULT 0,
    -- When it is tried next. While it is being tried: when others may take it up.
    next_at    timestamptz NOT NULL DEFAULT 'epoch',
    last_error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX topic_removal_due_idx ON topic_removal (next_at);

-- Whatever takes a topic from a device, or the device away, queues the removal with it.
CREATE FUNCTION queue_topic_removal() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    gone text[] := old.topics;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        gone := ARRAY(SELECT unnest(old.topics) EXCEPT SELECT unnest(new.topics));
    END IF;
    IF cardinality(gone) > 0 THEN
        INSERT INTO topic_removal (token, school_id, topics) VALUES (old.token, old.school_id, gone);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER device_token_topics AFTER UPDATE OF topics OR DELETE ON device_token FOR EACH ROW EXECUTE FUNCTION queue_topic_removal();

-- A device ends with its session, in the same transaction.
CREATE FUNCTION remove_devices() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM device_token WHERE session_id = new.id;
    RETURN NULL;
END $$;
CREATE TRIGGER session_devices AFTER UPDATE OF revoked_at ON session FOR EACH ROW
    WHEN (old.revoked_at IS NULL AND new.revoked_at IS NOT NULL) EXECUTE FUNCTION remove_devices();
