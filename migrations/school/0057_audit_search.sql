-- The audit is searched by the words of its entries, by what they are about and by the student they concern.

-- What an entry says in words: what was done where that is no plain change, why, and what the record calls itself.
CREATE FUNCTION audit_words(action text, reason text, before jsonb, after jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lower(CASE WHEN action IN ('create', 'update', 'delete') OR action LIKE '%/%' THEN '' ELSE action || ' ' END || reason ||
        coalesce((SELECT string_agg(' ' || f.value, '') FROM (
            SELECT key, value FROM jsonb_each_text(CASE jsonb_typeof(after) WHEN 'object' THEN after ELSE '{}' END)
            UNION SELECT key, value FROM jsonb_each_text(CASE jsonb_typeof(before) WHEN 'object' THEN before ELSE '{}' END)
        ) AS f WHERE f.key IN ('firstName', 'lastName', 'name', 'title', 'admissionNumber', 'employeeCode', 'receiptNumber', 'refundNumber',
            'number', 'busNumber', 'accessionNumber')), ''))
$$;
CREATE INDEX audit_event_words_idx ON audit_event USING gin (audit_words(action, reason, before, after) extensions.gin_trgm_ops);
CREATE INDEX audit_event_record_idx ON audit_event (entity_id);
CREATE INDEX audit_event_student_idx ON audit_event ((coalesce(after, before) ->> 'studentId'));
