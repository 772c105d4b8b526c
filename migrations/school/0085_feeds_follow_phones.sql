-- A calendar's address goes with the phone of who asked for it, as a PIN does: it tells where a child is at every hour, to whoever
-- has it.
CREATE OR REPLACE FUNCTION forget_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.phone IS DISTINCT FROM OLD.phone THEN
        NEW.pin_hash := NULL;
        NEW.pin_failures := 0;
        DELETE FROM calendar_feed WHERE user_id = NEW.id;
    END IF;
    IF lower(NEW.email) IS DISTINCT FROM lower(OLD.email) THEN
        NEW.password_hash := NULL;
    END IF;
    RETURN NEW;
END
$$;
