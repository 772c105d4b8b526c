-- People who asked to be erased: their records stay for the accounts and the counts,
-- under a neutral name and without what was personal.

ALTER TABLE student ADD COLUMN erased_at timestamptz;
ALTER TABLE guardian ADD COLUMN erased_at timestamptz;
ALTER TABLE employee ADD COLUMN erased_at timestamptz;

-- The one way to change the books that otherwise stay as they were written. Of the
-- person's own records, and of papers made about them, nothing is kept but that something
-- was done, by whom and when;
-- where they are named elsewhere (by full name, phone, e-mail) the neutral name stands.
CREATE FUNCTION erase_from_books(ids uuid[], words text[], neutral text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    word text;
    quoted text;
    gone CONSTANT jsonb := '{"erased": true}';
BEGIN
    UPDATE audit_event SET
        before = CASE WHEN before IS NOT NULL THEN gone END, after = CASE WHEN after IS NOT NULL THEN gone END,
        reason = CASE WHEN reason <> '' THEN neutral ELSE '' END
    WHERE (before IS NOT NULL OR after IS NOT NULL OR reason <> '') AND (entity_id = ANY (ids::text[])
        OR (entity IN ('guardian', 'guardian link', 'student_guardian', 'leaving certificate', 'message', 'leave', 'attendance', 'enrolment', 'user', 'file', 'not riding', 'incident')
            AND EXISTS (SELECT FROM unnest(ids::text[]) id WHERE strpos(before::text, id) > 0 OR strpos(after::text, id) > 0)));
    UPDATE audit_event SET ip = '' WHERE actor_id = ANY (ids) AND ip <> '';
    FOREACH word IN ARRAY words LOOP
        quoted := substr(to_json(word)::text, 2, length(to_json(word)::text) - 2);
        UPDATE audit_event SET
            before = replace(before::text, quoted, neutral)::jsonb, after = replace(after::text, quoted, neutral)::jsonb, reason = replace(reason, word, neutral)
        WHERE strpos(before::text, quoted) > 0 OR strpos(after::text, quoted) > 0 OR strpos(reason, word) > 0;
    END LOOP;
    UPDATE attendance_revision SET remark = '', reason = '' WHERE student_id = ANY (ids) AND (remark <> '' OR reason <> '');
END $$;
REVOKE ALL ON FUNCTION erase_from_books(uuid[], text[], text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_from_books(uuid[], text[], text) TO :school_role;
