-- A PIN goes with the phone it was set for, a password with the e-mail its link was sent
-- to. Whoever changes one of these takes the way in away with it.
CREATE FUNCTION forget_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.phone IS DISTINCT FROM OLD.phone THEN
        NEW.pin_hash := NULL;
        NEW.pin_failures := 0;
    END IF;
    IF lower(NEW.email) IS DISTINCT FROM lower(OLD.email) THEN
        NEW.password_hash := NULL;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER forget_secrets BEFORE UPDATE OF phone, email ON app_user FOR EACH ROW EXECUTE FUNCTION forget_secrets();
