-- Erasure is built from what each module declares of its tables. What only the database
-- may change is done by the functions below.

-- A document without what is about one person. An object is about them when one of its
-- fields, or a list in it, has one of the marks (ids, phone, e-mail); who wrote a record
-- (createdBy, …) does not make it theirs. Only the keys to keep are left of it. Elsewhere
-- their name is replaced.
CREATE FUNCTION erase_in_json(doc jsonb, marks text[], pattern text, neutral text, keep text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF jsonb_typeof(doc) = 'string' THEN
        RETURN to_jsonb(regexp_replace(doc #>> '{}', pattern, neutral, 'gi'));
    ELSIF jsonb_typeof(doc) = 'array' THEN
        RETURN coalesce((SELECT jsonb_agg(erase_in_json(e.value, marks, pattern, neutral, keep) ORDER BY e.n)
            FROM jsonb_array_elements(doc) WITH ORDINALITY AS e (value, n)), '[]');
    ELSIF jsonb_typeof(doc) <> 'object' THEN
        RETURN doc;
    ELSIF EXISTS (SELECT FROM jsonb_each(doc) AS f (key, value) WHERE f.key !~ 'By$' AND CASE jsonb_typeof(f.value)
            WHEN 'string' THEN f.value #>> '{}' = ANY (marks)
            WHEN 'array' THEN EXISTS (SELECT FROM jsonb_array_elements(f.value) AS e (value) WHERE jsonb_typeof(e.value) = 'string' AND e.value #>> '{}' = ANY (marks))
            ELSE false END) THEN
        RETURN coalesce((SELECT jsonb_object_agg(f.key, f.value) FROM jsonb_each(doc) AS f (key, value) WHERE f.key = ANY (keep)), '{}') || '{"erased": true}';
    END IF;
    RETURN coalesce((SELECT jsonb_object_agg(f.key, CASE WHEN f.key = ANY (marks) THEN '{"erased": true}' ELSE erase_in_json(f.value, marks, pattern, neutral, keep) END)
        FROM jsonb_each(doc) AS f (key, value)), '{}');
END $$;

-- The words of a ledger row may be changed by erasure; nothing else ever.
CREATE OR REPLACE FUNCTION ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME IN ('ledger_transaction', 'fee_receipt') AND current_setting('homeroom.erasing', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE FUNCTION ledger_words_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(OLD) - '{narration,reference_number}'::text[] <> to_jsonb(NEW) - '{narration,reference_number}'::text[] THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledger_transaction_words BEFORE UPDATE ON ledger_transaction FOR EACH ROW EXECUTE FUNCTION ledger_words_only();
CREATE TRIGGER fee_receipt_words BEFORE UPDATE ON fee_receipt FOR EACH ROW EXECUTE FUNCTION ledger_words_only();

-- The one way to change rows that otherwise stay as they were written. Of the person's
-- own records (records are their ids, the person's among them) the audit keeps that
-- something was done, by whom and when. A ledger row loses what was typed after its kind
-- ("Fine: …"). needle finds what is about the person, pattern their name and addresses.
CREATE FUNCTION erase_from_books(ids uuid[], records text[], marks text[], pattern text, needle text, neutral text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    gone CONSTANT jsonb := '{"erased": true}';
BEGIN
    UPDATE audit_event SET
        before = CASE WHEN before IS NULL THEN NULL WHEN entity_id = ANY (records) THEN gone ELSE erase_in_json(before, marks, pattern, neutral, '{}') END,
        after = CASE WHEN after IS NULL THEN NULL WHEN entity_id = ANY (records) THEN gone ELSE erase_in_json(after, marks, pattern, neutral, '{}') END,
        reason = CASE WHEN reason <> '' AND entity_id = ANY (records) THEN neutral ELSE regexp_replace(reason, pattern, neutral, 'gi') END,
        ip = CASE WHEN actor_id = ANY (ids) THEN '' ELSE ip END
    WHERE entity_id = ANY (records) OR actor_id = ANY (ids) OR concat_ws(' ', before, after, reason) ~* needle;
    UPDATE attendance_revision SET
        remark = CASE WHEN remark <> '' AND student_id = ANY (ids) THEN 'Erased' ELSE regexp_replace(remark, pattern, neutral, 'gi') END,
        reason = CASE WHEN reason <> '' AND student_id = ANY (ids) THEN 'Erased' ELSE regexp_replace(reason, pattern, neutral, 'gi') END
    WHERE (remark <> '' OR reason <> '') AND (student_id = ANY (ids) OR concat_ws(' ', remark, reason) ~* pattern);
    PERFORM set_config('homeroom.erasing', 'yes', true);
    UPDATE ledger_transaction t SET narration = CASE WHEN EXISTS (SELECT FROM ledger_entry e WHERE e.transaction_id = t.id AND e.account_id = ANY (ids))
        THEN regexp_replace(split_part(narration, ': ', 1), pattern, neutral, 'gi') ELSE regexp_replace(narration, pattern, neutral, 'gi') END
    WHERE t.id IN (SELECT e.transaction_id FROM ledger_entry e WHERE e.account_id = ANY (ids)) OR narration ~* pattern;
    UPDATE fee_receipt SET reference_number = regexp_replace(reference_number, pattern, neutral, 'gi') WHERE reference_number ~* pattern;
    PERFORM set_config('homeroom.erasing', '', true);
END $$;
REVOKE ALL ON FUNCTION erase_from_books(uuid[], text[], text[], text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_from_books(uuid[], text[], text[], text, text, text) TO :school_role;
-- Only the release before this one calls it.
COMMENT ON FUNCTION erase_from_books(uuid[], text[], text) IS 'replaced by the function with records, marks and patterns';
