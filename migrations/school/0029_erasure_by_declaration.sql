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
CREATE FUNCTION erase_sealed_rows(ids uuid[], records text[], marks text[], pattern text, needle text, neutral text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    gone CONSTANT jsonb := '{"erased": true}';
BEGIN
    UPDATE audit_event SET
        before = CASE WHEN before IS NULL THEN NULL WHEN action <> 'erase' AND entity_id IN (SELECT unnest(records)) THEN gone ELSE erase_in_json(before, marks, pattern, neutral, '{}') END,
        after = CASE WHEN after IS NULL THEN NULL WHEN action <> 'erase' AND entity_id IN (SELECT unnest(records)) THEN gone ELSE erase_in_json(after, marks, pattern, neutral, '{}') END,
        reason = CASE WHEN reason <> '' AND action <> 'erase' AND entity_id IN (SELECT unnest(records)) THEN neutral ELSE regexp_replace(reason, pattern, neutral, 'gi') END,
        ip = CASE WHEN actor_id = ANY (ids) THEN '' ELSE ip END
    WHERE (action <> 'erase' AND entity_id IN (SELECT unnest(records))) OR actor_id = ANY (ids) OR concat_ws(' ', before, after, reason) ~* needle;
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
REVOKE ALL ON FUNCTION erase_sealed_rows(uuid[], text[], text[], text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_sealed_rows(uuid[], text[], text[], text, text, text) TO :school_role;
-- Only the release before this one calls it.
COMMENT ON FUNCTION erase_from_books(uuid[], text[], text) IS 'replaced by erase_sealed_rows';

-- People who were erased before: what the lists of then left out. Their names are not
-- known any more, so that it is found by their ids.
DO $$
DECLARE
    person record;
    records text[];
BEGIN
    FOR person IN
        SELECT array[id] AS ids FROM student WHERE erased_at IS NOT NULL
        UNION ALL SELECT array[id, user_id] FROM guardian WHERE erased_at IS NOT NULL
        UNION ALL SELECT array_remove(array[id, user_id], NULL) FROM employee WHERE erased_at IS NOT NULL
    LOOP
        SELECT person.ids::text[] || coalesce(array_agg(r.id::text), '{}') INTO records FROM (
            SELECT id FROM report_card_remark WHERE student_id = ANY (person.ids)
            UNION ALL SELECT id FROM fee_concession WHERE student_id = ANY (person.ids)
            UNION ALL SELECT id FROM exam_result WHERE student_id = ANY (person.ids)
            UNION ALL SELECT id FROM boarding WHERE student_id = ANY (person.ids)
            UNION ALL SELECT id FROM leave WHERE student_id = ANY (person.ids) OR employee_id = ANY (person.ids) OR created_by = ANY (person.ids)) r;
        UPDATE report_card_remark SET remark = 'Erased' WHERE student_id = ANY (person.ids);
        UPDATE employee SET designation = '' WHERE id = ANY (person.ids);
        UPDATE thread SET subject = '' WHERE created_by = ANY (person.ids);
        UPDATE promotion SET summary = erase_in_json(summary, person.ids::text[], '\Z.', '', '{studentId,outcome,fromDivisionId,toClassId,toDivisionId,to}')
        WHERE summary::text ~ array_to_string(person.ids, '|');
        PERFORM erase_sealed_rows(person.ids, records, person.ids::text[], '\Z.', array_to_string(person.ids, '|'), 'Erased');
    END LOOP;
    UPDATE delivery SET dedupe_key = 'erased ' || id WHERE recipient = 'erased';
END $$;
