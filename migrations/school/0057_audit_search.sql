-- The audit is searched by the words of its entries, by what they are about and by the student they concern.

-- What an entry says in words: what was done where that is no plain change, why, and what the record calls itself.
-- One expression, without a subquery: so it becomes part of the statement that writes an entry, and costs a tenth.
CREATE FUNCTION audit_words(action text, reason text, before jsonb, after jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lower(CASE WHEN action IN ('create', 'update', 'delete') OR action LIKE '%/%' THEN '' ELSE action || ' ' END || reason
        || coalesce(' ' || (after ->> 'firstName'), '') || coalesce(' ' || (before ->> 'firstName'), '')
        || coalesce(' ' || (after ->> 'lastName'), '') || coalesce(' ' || (before ->> 'lastName'), '')
        || coalesce(' ' || (after ->> 'name'), '') || coalesce(' ' || (before ->> 'name'), '')
        || coalesce(' ' || (after ->> 'title'), '') || coalesce(' ' || (before ->> 'title'), '')
        || coalesce(' ' || (after ->> 'admissionNumber'), '') || coalesce(' ' || (before ->> 'admissionNumber'), '')
        || coalesce(' ' || (after ->> 'employeeCode'), '') || coalesce(' ' || (before ->> 'employeeCode'), '')
        || coalesce(' ' || (after ->> 'receiptNumber'), '') || coalesce(' ' || (before ->> 'receiptNumber'), '')
        || coalesce(' ' || (after ->> 'refundNumber'), '') || coalesce(' ' || (before ->> 'refundNumber'), '')
        || coalesce(' ' || (after ->> 'number'), '') || coalesce(' ' || (before ->> 'number'), '')
        || coalesce(' ' || (after ->> 'busNumber'), '') || coalesce(' ' || (before ->> 'busNumber'), '')
        || coalesce(' ' || (after ->> 'accessionNumber'), '') || coalesce(' ' || (before ->> 'accessionNumber'), ''))
$$;
CREATE INDEX audit_event_words_idx ON audit_event USING gin (audit_words(action, reason, before, after) extensions.gin_trgm_ops);
CREATE INDEX audit_event_record_idx ON audit_event (entity_id);
CREATE INDEX audit_event_student_idx ON audit_event ((coalesce(after, before) ->> 'studentId'));
