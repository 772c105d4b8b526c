-- What the migrations up to this number make. Written by `make baseline`.

SET LOCAL check_function_bodies = off;
SET LOCAL max_parallel_maintenance_workers = 0; -- or each index is planned

CREATE FUNCTION audit_words(action text, reason text, before jsonb, after jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
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

CREATE FUNCTION erase_from_books(ids uuid[], words text[], neutral text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
    AS $$
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

COMMENT ON FUNCTION erase_from_books(ids uuid[], words text[], neutral text) IS 'replaced by erase_sealed_rows';

CREATE FUNCTION erase_in_json(doc jsonb, marks text[], pattern text, neutral text, keep text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    AS $_$
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
END $_$;

CREATE FUNCTION erase_sealed_rows(ids uuid[], records text[], marks text[], pattern text, needle text, neutral text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
    AS $$
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

CREATE FUNCTION forget_secrets() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION ledger_balances() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (SELECT sum(CASE entry_type WHEN 'DR' THEN amount ELSE -amount END) FROM ledger_entry WHERE transaction_id = NEW.transaction_id) <> 0 THEN
        RAISE EXCEPTION 'ledger transaction % does not balance', NEW.transaction_id USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION ledger_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME IN ('ledger_transaction', 'fee_receipt') AND current_setting('homeroom.erasing', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION ledger_words_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF to_jsonb(OLD) - '{narration,reference_number}'::text[] <> to_jsonb(NEW) - '{narration,reference_number}'::text[] THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;

CREATE TABLE academic_year (
    id uuid NOT NULL,
    name text NOT NULL,
    start_date date NOT NULL,
    end_date date NOT NULL,
    active boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT academic_year_dates_check CHECK ((end_date > start_date)),
    CONSTRAINT academic_year_overlap_excl EXCLUDE USING gist (daterange(start_date, end_date, '[]'::text) WITH &&),
    CONSTRAINT academic_year_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX academic_year_active_key ON academic_year USING btree (active) WHERE active;
CREATE UNIQUE INDEX academic_year_name_key ON academic_year USING btree (lower(name));

CREATE TABLE announcement (
    id uuid NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    target_audience text NOT NULL,
    status text NOT NULL,
    publish_at timestamp with time zone,
    published_at timestamp with time zone,
    expires_at timestamp with time zone,
    told_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    urgent boolean DEFAULT false NOT NULL,
    CONSTRAINT announcement_expiry_check CHECK (((expires_at IS NULL) OR (publish_at IS NULL) OR (expires_at > publish_at))),
    CONSTRAINT announcement_scheduled_check CHECK (((status <> 'SCHEDULED'::text) OR (publish_at IS NOT NULL))),
    CONSTRAINT announcement_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'SCHEDULED'::text, 'PUBLISHED'::text, 'WITHDRAWN'::text]))),
    CONSTRAINT announcement_target_audience_check CHECK ((target_audience = ANY (ARRAY['ALL'::text, 'PARENTS'::text, 'TEACHERS'::text]))),
    CONSTRAINT announcement_pkey PRIMARY KEY (id)
);
CREATE INDEX announcement_created_idx ON announcement USING btree (created_at DESC, id DESC);
CREATE INDEX announcement_published_idx ON announcement USING btree (published_at DESC, id DESC) WHERE (status = 'PUBLISHED'::text);

CREATE TABLE grade_scale (
    id uuid NOT NULL,
    name text NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    bands jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT grade_scale_bands_check CHECK ((jsonb_typeof(bands) = 'array'::text)),
    CONSTRAINT grade_scale_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX grade_scale_default_key ON grade_scale USING btree (is_default) WHERE is_default;
CREATE UNIQUE INDEX grade_scale_name_key ON grade_scale USING btree (lower(name));

CREATE TABLE class (
    id uuid NOT NULL,
    name text NOT NULL,
    code text DEFAULT ''::text NOT NULL,
    level integer DEFAULT 0 NOT NULL,
    next_class_id uuid,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    grade_scale_id uuid,
    CONSTRAINT class_next_class_check CHECK ((next_class_id <> id)),
    CONSTRAINT class_pkey PRIMARY KEY (id),
    CONSTRAINT class_grade_scale_fkey FOREIGN KEY (grade_scale_id) REFERENCES grade_scale(id),
    CONSTRAINT class_next_class_fkey FOREIGN KEY (next_class_id) REFERENCES class(id)
);
CREATE INDEX class_grade_scale_idx ON class USING btree (grade_scale_id) WHERE (grade_scale_id IS NOT NULL);
CREATE INDEX class_level_idx ON class USING btree (level, id);
CREATE UNIQUE INDEX class_name_key ON class USING btree (lower(name));
CREATE INDEX class_next_class_idx ON class USING btree (next_class_id) WHERE (next_class_id IS NOT NULL);

CREATE TABLE division (
    id uuid NOT NULL,
    class_id uuid NOT NULL,
    name text NOT NULL,
    capacity integer,
    room text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT division_capacity_check CHECK ((capacity > 0)),
    CONSTRAINT division_pkey PRIMARY KEY (id),
    CONSTRAINT division_class_fkey FOREIGN KEY (class_id) REFERENCES class(id)
);
CREATE UNIQUE INDEX division_name_key ON division USING btree (class_id, lower(name));

CREATE TABLE announcement_target (
    announcement_id uuid NOT NULL,
    class_id uuid,
    division_id uuid,
    CONSTRAINT announcement_target_one CHECK (((class_id IS NULL) <> (division_id IS NULL))),
    CONSTRAINT announcement_target_key UNIQUE NULLS NOT DISTINCT (announcement_id, class_id, division_id),
    CONSTRAINT announcement_target_announcement_fkey FOREIGN KEY (announcement_id) REFERENCES announcement(id) ON DELETE CASCADE,
    CONSTRAINT announcement_target_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT announcement_target_division_fkey FOREIGN KEY (division_id) REFERENCES division(id)
);
CREATE INDEX announcement_target_class_idx ON announcement_target USING btree (class_id) WHERE (class_id IS NOT NULL);
CREATE INDEX announcement_target_division_idx ON announcement_target USING btree (division_id) WHERE (division_id IS NOT NULL);

CREATE TABLE role (
    id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    system boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT role_type_check CHECK ((type = ANY (ARRAY['SCHOOL_ADMIN'::text, 'TEACHER'::text, 'PARENT'::text, 'DRIVER'::text, 'KEY'::text]))),
    CONSTRAINT role_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX role_name_key ON role USING btree (lower(name));
CREATE UNIQUE INDEX role_system_type_key ON role USING btree (type) WHERE system;

CREATE TABLE app_user (
    id uuid NOT NULL,
    role_id uuid NOT NULL,
    first_name text DEFAULT ''::text NOT NULL,
    last_name text DEFAULT ''::text NOT NULL,
    phone text,
    email text,
    password_hash text,
    pin_hash text,
    pin_failures integer DEFAULT 0 NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    last_sign_in_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    whatsapp_since timestamp with time zone,
    language text,
    CONSTRAINT app_user_language_check CHECK ((language = ANY (ARRAY['en'::text, 'hi'::text, 'ar'::text, 'sw'::text]))),
    CONSTRAINT app_user_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'DISABLED'::text]))),
    CONSTRAINT app_user_pkey PRIMARY KEY (id),
    CONSTRAINT app_user_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id)
);
CREATE UNIQUE INDEX app_user_email_key ON app_user USING btree (lower(email)) WHERE (email IS NOT NULL);
CREATE INDEX app_user_language_idx ON app_user USING btree (language) WHERE (language IS NOT NULL);
CREATE INDEX app_user_phone_idx ON app_user USING btree (phone) WHERE (phone IS NOT NULL);
CREATE INDEX app_user_role_idx ON app_user USING btree (role_id);

CREATE TABLE api_key (
    id uuid NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    per_minute integer NOT NULL,
    ends_on date,
    last_used_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    revoked_by uuid,
    CONSTRAINT api_key_per_minute_check CHECK (((per_minute >= 1) AND (per_minute <= 600))),
    CONSTRAINT api_key_pkey PRIMARY KEY (id),
    CONSTRAINT api_key_user_fkey FOREIGN KEY (id) REFERENCES app_user(id)
);
CREATE INDEX api_key_created_idx ON api_key USING btree (created_at DESC, id DESC);
CREATE UNIQUE INDEX api_key_name_key ON api_key USING btree (lower(name)) WHERE (revoked_at IS NULL);

CREATE TABLE file (
    id uuid NOT NULL,
    purpose text NOT NULL,
    original_name text NOT NULL,
    content_type text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 bytea NOT NULL,
    storage_key text NOT NULL,
    thumbnail_key text DEFAULT ''::text NOT NULL,
    uploaded_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT file_purpose_check CHECK ((purpose = ANY (ARRAY['ATTACHMENT'::text, 'PHOTO'::text, 'LOGO'::text]))),
    CONSTRAINT file_size_bytes_check CHECK ((size_bytes > 0)),
    CONSTRAINT file_pkey PRIMARY KEY (id)
);
CREATE INDEX file_uploaded_idx ON file USING btree (uploaded_by, created_at DESC);

CREATE TABLE employee (
    id uuid NOT NULL,
    user_id uuid,
    employee_code text NOT NULL,
    first_name text NOT NULL,
    last_name text DEFAULT ''::text NOT NULL,
    phone text NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    employee_type text NOT NULL,
    designation text DEFAULT ''::text NOT NULL,
    department text DEFAULT ''::text NOT NULL,
    qualification text DEFAULT ''::text NOT NULL,
    joining_date date,
    leaving_date date,
    licence_number text DEFAULT ''::text NOT NULL,
    licence_expiry_date date,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    search_text text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    erased_at timestamp with time zone,
    photo_file_id uuid,
    custom_fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT employee_custom_fields_check CHECK ((jsonb_typeof(custom_fields) = 'object'::text)),
    CONSTRAINT employee_employee_type_check CHECK ((employee_type = ANY (ARRAY['TEACHER'::text, 'DRIVER'::text, 'ADMIN'::text, 'SUPPORT'::text]))),
    CONSTRAINT employee_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'INACTIVE'::text]))),
    CONSTRAINT employee_pkey PRIMARY KEY (id),
    CONSTRAINT employee_user_id_key UNIQUE (user_id),
    CONSTRAINT employee_photo_fkey FOREIGN KEY (photo_file_id) REFERENCES file(id),
    CONSTRAINT employee_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE UNIQUE INDEX employee_code_key ON employee USING btree (lower(employee_code));
CREATE INDEX employee_email_idx ON employee USING btree (lower(email)) WHERE (email <> ''::text);
CREATE INDEX employee_photo_idx ON employee USING btree (photo_file_id) WHERE (photo_file_id IS NOT NULL);
CREATE INDEX employee_search_idx ON employee USING gin (search_text extensions.gin_trgm_ops);
CREATE INDEX employee_type_idx ON employee USING btree (employee_type, id);

CREATE TABLE student (
    id uuid NOT NULL,
    admission_number text NOT NULL,
    first_name text NOT NULL,
    last_name text DEFAULT ''::text NOT NULL,
    class_id uuid,
    gender text DEFAULT ''::text NOT NULL,
    date_of_birth date,
    blood_group text DEFAULT ''::text NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    phone text DEFAULT ''::text NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    photo_file_id uuid,
    admission_date date NOT NULL,
    previous_school text DEFAULT ''::text NOT NULL,
    medical_notes text DEFAULT ''::text NOT NULL,
    allergies text DEFAULT ''::text NOT NULL,
    emergency_contact_name text DEFAULT ''::text NOT NULL,
    emergency_contact_phone text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    leaving_date date,
    leaving_reason text DEFAULT ''::text NOT NULL,
    custom_fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    search_text text DEFAULT ''::text NOT NULL,
    deleted_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    leaving_status text,
    erased_at timestamp with time zone,
    CONSTRAINT student_custom_fields_check CHECK ((jsonb_typeof(custom_fields) = 'object'::text)),
    CONSTRAINT student_gender_check CHECK ((gender = ANY (ARRAY[''::text, 'FEMALE'::text, 'MALE'::text, 'OTHER'::text]))),
    CONSTRAINT student_leaving_status_check CHECK ((leaving_status = ANY (ARRAY['TRANSFERRED'::text, 'GRADUATED'::text, 'WITHDRAWN'::text]))),
    CONSTRAINT student_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'TRANSFERRED'::text, 'GRADUATED'::text, 'WITHDRAWN'::text]))),
    CONSTRAINT student_pkey PRIMARY KEY (id),
    CONSTRAINT student_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT student_photo_fkey FOREIGN KEY (photo_file_id) REFERENCES file(id)
);
CREATE UNIQUE INDEX student_admission_number_key ON student USING btree (lower(admission_number));
CREATE INDEX student_class_idx ON student USING btree (class_id) WHERE (class_id IS NOT NULL);
CREATE INDEX student_leaving_idx ON student USING btree (leaving_date) WHERE (leaving_status IS NOT NULL);
CREATE INDEX student_order_idx ON student USING btree (first_name, id) WHERE (deleted_at IS NULL);
CREATE INDEX student_photo_idx ON student USING btree (photo_file_id) WHERE (photo_file_id IS NOT NULL);
CREATE INDEX student_search_idx ON student USING gin (search_text extensions.gin_trgm_ops);

CREATE TABLE leave (
    id uuid NOT NULL,
    applicant_type text NOT NULL,
    student_id uuid,
    employee_id uuid,
    leave_type text NOT NULL,
    from_date date NOT NULL,
    to_date date NOT NULL,
    half_day boolean DEFAULT false NOT NULL,
    days double precision NOT NULL,
    reason text NOT NULL,
    status text DEFAULT 'PENDING'::text NOT NULL,
    decided_by uuid,
    decided_at timestamp with time zone,
    decision_note text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid NOT NULL,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT leave_applicant_check CHECK ((((applicant_type = 'STUDENT'::text) = (student_id IS NOT NULL)) AND ((applicant_type = 'EMPLOYEE'::text) = (employee_id IS NOT NULL)))),
    CONSTRAINT leave_applicant_type_check CHECK ((applicant_type = ANY (ARRAY['STUDENT'::text, 'EMPLOYEE'::text]))),
    CONSTRAINT leave_dates_check CHECK ((to_date >= from_date)),
    CONSTRAINT leave_days_check CHECK ((days > (0)::double precision)),
    CONSTRAINT leave_half_day_check CHECK (((NOT half_day) OR (from_date = to_date))),
    CONSTRAINT leave_leave_type_check CHECK ((leave_type = ANY (ARRAY['SICK'::text, 'CASUAL'::text, 'EMERGENCY'::text]))),
    CONSTRAINT leave_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'CANCELLED'::text]))),
    CONSTRAINT leave_overlap_excl EXCLUDE USING gist (COALESCE(student_id, employee_id) WITH =, daterange(from_date, to_date, '[]'::text) WITH &&) WHERE ((status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text]))),
    CONSTRAINT leave_pkey PRIMARY KEY (id),
    CONSTRAINT leave_applicant_fkey FOREIGN KEY (created_by) REFERENCES app_user(id),
    CONSTRAINT leave_employee_fkey FOREIGN KEY (employee_id) REFERENCES employee(id),
    CONSTRAINT leave_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX leave_created_idx ON leave USING btree (created_at DESC, id DESC);
CREATE INDEX leave_employee_idx ON leave USING btree (employee_id, from_date) WHERE (employee_id IS NOT NULL);
CREATE INDEX leave_pending_idx ON leave USING btree (from_date) WHERE (status = 'PENDING'::text);
CREATE INDEX leave_student_idx ON leave USING btree (student_id, from_date) WHERE (student_id IS NOT NULL);

CREATE TABLE attendance (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    division_id uuid NOT NULL,
    date date NOT NULL,
    status text NOT NULL,
    late_minutes integer,
    remark text DEFAULT ''::text NOT NULL,
    source text NOT NULL,
    leave_id uuid,
    reason text DEFAULT ''::text NOT NULL,
    marked_by uuid NOT NULL,
    marked_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    half_day boolean DEFAULT false NOT NULL,
    CONSTRAINT attendance_late_check CHECK (((late_minutes IS NULL) OR (status = 'LATE'::text))),
    CONSTRAINT attendance_late_minutes_check CHECK ((late_minutes >= 0)),
    CONSTRAINT attendance_leave_check CHECK (((source = 'LEAVE'::text) = (leave_id IS NOT NULL))),
    CONSTRAINT attendance_status_check CHECK ((status = ANY (ARRAY['PRESENT'::text, 'ABSENT'::text, 'LATE'::text, 'LEAVE'::text]))),
    CONSTRAINT attendance_once UNIQUE (student_id, date),
    CONSTRAINT attendance_pkey PRIMARY KEY (id),
    CONSTRAINT attendance_division_fkey FOREIGN KEY (division_id) REFERENCES division(id),
    CONSTRAINT attendance_leave_fkey FOREIGN KEY (leave_id) REFERENCES leave(id),
    CONSTRAINT attendance_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX attendance_division_idx ON attendance USING btree (division_id, date);
CREATE INDEX attendance_leave_idx ON attendance USING btree (leave_id) WHERE (leave_id IS NOT NULL);

CREATE TABLE attendance_revision (
    attendance_id uuid NOT NULL,
    version integer NOT NULL,
    student_id uuid NOT NULL,
    date date NOT NULL,
    status text NOT NULL,
    late_minutes integer,
    remark text NOT NULL,
    source text NOT NULL,
    leave_id uuid,
    reason text NOT NULL,
    marked_by uuid NOT NULL,
    marked_at timestamp with time zone NOT NULL,
    replaced_by uuid NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    half_day boolean DEFAULT false NOT NULL,
    CONSTRAINT attendance_revision_pkey PRIMARY KEY (student_id, date, attendance_id, version),
    CONSTRAINT attendance_revision_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
REVOKE ALL ON TABLE attendance_revision FROM :school_role;
GRANT SELECT,INSERT ON TABLE attendance_revision TO :school_role;

CREATE TABLE attendance_total (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    division_id uuid NOT NULL,
    first_day date NOT NULL,
    last_day date NOT NULL,
    school_days integer NOT NULL,
    present integer DEFAULT 0 NOT NULL,
    absent integer DEFAULT 0 NOT NULL,
    late integer DEFAULT 0 NOT NULL,
    leave integer DEFAULT 0 NOT NULL,
    half_days integer DEFAULT 0 NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT attendance_total_absent_check CHECK ((absent >= 0)),
    CONSTRAINT attendance_total_check CHECK ((school_days >= (((present + absent) + late) + leave))),
    CONSTRAINT attendance_total_check1 CHECK (((half_days >= 0) AND (half_days <= leave))),
    CONSTRAINT attendance_total_days_check CHECK ((last_day >= first_day)),
    CONSTRAINT attendance_total_late_check CHECK ((late >= 0)),
    CONSTRAINT attendance_total_leave_check CHECK ((leave >= 0)),
    CONSTRAINT attendance_total_present_check CHECK ((present >= 0)),
    CONSTRAINT attendance_total_excl EXCLUDE USING gist (student_id WITH =, daterange(first_day, last_day, '[]'::text) WITH &&),
    CONSTRAINT attendance_total_pkey PRIMARY KEY (id),
    CONSTRAINT attendance_total_division_fkey FOREIGN KEY (division_id) REFERENCES division(id),
    CONSTRAINT attendance_total_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX attendance_total_division_idx ON attendance_total USING btree (division_id);

CREATE TABLE audit_event (
    id uuid NOT NULL,
    actor_id uuid,
    actor_role text NOT NULL,
    action text NOT NULL,
    entity text NOT NULL,
    entity_id text NOT NULL,
    before jsonb,
    after jsonb,
    reason text DEFAULT ''::text NOT NULL,
    ip text DEFAULT ''::text NOT NULL,
    request_id text DEFAULT ''::text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    CONSTRAINT audit_event_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_event_actor_idx ON audit_event USING btree (actor_id, occurred_at DESC, id DESC);
CREATE INDEX audit_event_entity_idx ON audit_event USING btree (entity, entity_id, occurred_at DESC);
CREATE INDEX audit_event_occurred_idx ON audit_event USING btree (occurred_at DESC, id DESC);
CREATE INDEX audit_event_record_idx ON audit_event USING btree (entity_id);
CREATE INDEX audit_event_student_idx ON audit_event USING btree (((COALESCE(after, before) ->> 'studentId'::text)));
CREATE INDEX audit_event_words_idx ON audit_event USING gin (audit_words(action, reason, before, after) extensions.gin_trgm_ops);
REVOKE ALL ON TABLE audit_event FROM :school_role;
GRANT SELECT,INSERT ON TABLE audit_event TO :school_role;

CREATE TABLE bus (
    id uuid NOT NULL,
    bus_number text NOT NULL,
    registration_number text DEFAULT ''::text NOT NULL,
    capacity integer,
    driver_id uuid,
    attendant_id uuid,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT bus_capacity_check CHECK ((capacity > 0)),
    CONSTRAINT bus_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'MAINTENANCE'::text, 'RETIRED'::text]))),
    CONSTRAINT bus_pkey PRIMARY KEY (id),
    CONSTRAINT bus_attendant_fkey FOREIGN KEY (attendant_id) REFERENCES employee(id),
    CONSTRAINT bus_driver_fkey FOREIGN KEY (driver_id) REFERENCES employee(id)
);
CREATE INDEX bus_driver_idx ON bus USING btree (driver_id) WHERE (driver_id IS NOT NULL);
CREATE UNIQUE INDEX bus_number_key ON bus USING btree (lower(bus_number));
CREATE UNIQUE INDEX bus_registration_key ON bus USING btree (lower(registration_number)) WHERE (registration_number <> ''::text);

CREATE TABLE route (
    id uuid NOT NULL,
    name text NOT NULL,
    bus_id uuid NOT NULL,
    direction text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    runs_on_holidays boolean DEFAULT false NOT NULL,
    CONSTRAINT route_direction_check CHECK ((direction = ANY (ARRAY['pickup'::text, 'dropoff'::text]))),
    CONSTRAINT route_direction_key UNIQUE (id, direction),
    CONSTRAINT route_pkey PRIMARY KEY (id),
    CONSTRAINT route_bus_fkey FOREIGN KEY (bus_id) REFERENCES bus(id)
);
CREATE INDEX route_bus_idx ON route USING btree (bus_id);
CREATE UNIQUE INDEX route_name_key ON route USING btree (lower(name));

CREATE TABLE stop (
    id uuid NOT NULL,
    route_id uuid NOT NULL,
    name text NOT NULL,
    sequence integer NOT NULL,
    lat double precision NOT NULL,
    lng double precision NOT NULL,
    radius_meters integer DEFAULT 300 NOT NULL,
    planned_time time without time zone,
    removed_at timestamp with time zone,
    previous_time time without time zone,
    time_changed_on date,
    CONSTRAINT stop_lat_check CHECK (((lat >= ('-90'::integer)::double precision) AND (lat <= (90)::double precision))),
    CONSTRAINT stop_lng_check CHECK (((lng >= ('-180'::integer)::double precision) AND (lng <= (180)::double precision))),
    CONSTRAINT stop_radius_meters_check CHECK (((radius_meters >= 30) AND (radius_meters <= 5000))),
    CONSTRAINT stop_of_route_key UNIQUE (route_id, id),
    CONSTRAINT stop_pkey PRIMARY KEY (id),
    CONSTRAINT stop_route_fkey FOREIGN KEY (route_id) REFERENCES route(id) ON DELETE CASCADE
);
CREATE INDEX stop_route_idx ON stop USING btree (route_id, sequence) WHERE (removed_at IS NULL);

CREATE TABLE trip (
    id uuid NOT NULL,
    route_id uuid NOT NULL,
    bus_id uuid NOT NULL,
    driver_id uuid,
    trip_type text NOT NULL,
    trip_date date NOT NULL,
    scheduled_start_at timestamp with time zone NOT NULL,
    status text DEFAULT 'scheduled'::text NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    cancel_reason text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    runs_on_holidays boolean DEFAULT false NOT NULL,
    off_day boolean DEFAULT false NOT NULL,
    CONSTRAINT trip_open_driver_check CHECK (((status <> ALL (ARRAY['in_progress'::text, 'paused'::text])) OR (driver_id IS NOT NULL))),
    CONSTRAINT trip_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'in_progress'::text, 'paused'::text, 'completed'::text, 'cancelled'::text]))),
    CONSTRAINT trip_trip_type_check CHECK ((trip_type = ANY (ARRAY['pickup'::text, 'dropoff'::text]))),
    CONSTRAINT trip_pkey PRIMARY KEY (id),
    CONSTRAINT trip_bus_fkey FOREIGN KEY (bus_id) REFERENCES bus(id),
    CONSTRAINT trip_driver_fkey FOREIGN KEY (driver_id) REFERENCES employee(id),
    CONSTRAINT trip_route_fkey FOREIGN KEY (route_id) REFERENCES route(id)
);
CREATE INDEX trip_bus_idx ON trip USING btree (bus_id, scheduled_start_at DESC);
CREATE INDEX trip_date_idx ON trip USING btree (trip_date, bus_id);
CREATE INDEX trip_driver_idx ON trip USING btree (driver_id, trip_date) WHERE (driver_id IS NOT NULL);
CREATE UNIQUE INDEX trip_once_key ON trip USING btree (route_id, scheduled_start_at) WHERE (status <> 'cancelled'::text);
CREATE UNIQUE INDEX trip_open_bus_key ON trip USING btree (bus_id) WHERE (status = ANY (ARRAY['in_progress'::text, 'paused'::text]));
CREATE UNIQUE INDEX trip_open_driver_key ON trip USING btree (driver_id) WHERE (status = ANY (ARRAY['in_progress'::text, 'paused'::text]));

CREATE TABLE boarding (
    id uuid NOT NULL,
    trip_id uuid NOT NULL,
    student_id uuid NOT NULL,
    stop_id uuid NOT NULL,
    status text NOT NULL,
    preset text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    boarded_at timestamp with time zone,
    alighted_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT boarding_preset_check CHECK ((preset = ANY (ARRAY['waiting'::text, 'absent'::text]))),
    CONSTRAINT boarding_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'boarded'::text, 'alighted'::text, 'absent'::text, 'no_show'::text]))),
    CONSTRAINT boarding_once UNIQUE (trip_id, student_id),
    CONSTRAINT boarding_pkey PRIMARY KEY (id),
    CONSTRAINT boarding_stop_fkey FOREIGN KEY (stop_id) REFERENCES stop(id),
    CONSTRAINT boarding_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE,
    CONSTRAINT boarding_trip_fkey FOREIGN KEY (trip_id) REFERENCES trip(id) ON DELETE CASCADE
);
CREATE INDEX boarding_student_idx ON boarding USING btree (student_id);

CREATE TABLE boarding_tap (
    trip_id uuid NOT NULL,
    student_id uuid NOT NULL,
    client_event_id text NOT NULL,
    status text NOT NULL,
    at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL,
    tapped_by uuid NOT NULL,
    undone_at timestamp with time zone,
    CONSTRAINT boarding_tap_status_check CHECK ((status = ANY (ARRAY['boarded'::text, 'alighted'::text, 'absent'::text, 'no_show'::text]))),
    CONSTRAINT boarding_tap_pkey PRIMARY KEY (trip_id, client_event_id),
    CONSTRAINT boarding_tap_boarding_fkey FOREIGN KEY (trip_id, student_id) REFERENCES boarding(trip_id, student_id) ON DELETE CASCADE
);
CREATE INDEX boarding_tap_student_idx ON boarding_tap USING btree (trip_id, student_id);

CREATE TABLE book (
    id uuid NOT NULL,
    title text NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    isbn text DEFAULT ''::text NOT NULL,
    publisher text DEFAULT ''::text NOT NULL,
    published_year integer,
    category text DEFAULT ''::text NOT NULL,
    price bigint DEFAULT 0 NOT NULL,
    search_text text DEFAULT ''::text NOT NULL,
    match_key text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT book_price_check CHECK ((price >= 0)),
    CONSTRAINT book_published_year_check CHECK (((published_year >= 1000) AND (published_year <= 2999))),
    CONSTRAINT book_pkey PRIMARY KEY (id)
);
CREATE INDEX book_author_idx ON book USING btree (author, id);
CREATE INDEX book_created_idx ON book USING btree (created_at, id);
CREATE UNIQUE INDEX book_isbn_key ON book USING btree (translate(upper(isbn), '- '::text, ''::text)) WHERE (isbn <> ''::text);
CREATE INDEX book_match_idx ON book USING hash (match_key);
CREATE INDEX book_search_idx ON book USING gin (search_text extensions.gin_trgm_ops) WITH (gin_pending_list_limit='256');
CREATE INDEX book_title_idx ON book USING btree (title, id);

CREATE TABLE book_copy (
    id uuid NOT NULL,
    book_id uuid NOT NULL,
    accession_number text NOT NULL,
    barcode text DEFAULT ''::text NOT NULL,
    shelf text DEFAULT ''::text NOT NULL,
    state text DEFAULT 'GOOD'::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT book_copy_state_check CHECK ((state = ANY (ARRAY['GOOD'::text, 'LOST'::text, 'WITHDRAWN'::text]))),
    CONSTRAINT book_copy_pkey PRIMARY KEY (id),
    CONSTRAINT book_copy_book_fkey FOREIGN KEY (book_id) REFERENCES book(id)
);
CREATE UNIQUE INDEX book_copy_accession_key ON book_copy USING btree (lower(accession_number));
CREATE UNIQUE INDEX book_copy_barcode_key ON book_copy USING btree (lower(barcode)) WHERE (barcode <> ''::text);
CREATE INDEX book_copy_book_idx ON book_copy USING btree (book_id);

CREATE TABLE bus_substitute (
    id uuid NOT NULL,
    bus_id uuid NOT NULL,
    driver_id uuid NOT NULL,
    from_date date NOT NULL,
    to_date date NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT bus_substitute_dates_check CHECK ((to_date >= from_date)),
    CONSTRAINT bus_substitute_overlap_excl EXCLUDE USING gist (bus_id WITH =, daterange(from_date, to_date, '[]'::text) WITH &&),
    CONSTRAINT bus_substitute_pkey PRIMARY KEY (id),
    CONSTRAINT bus_substitute_bus_fkey FOREIGN KEY (bus_id) REFERENCES bus(id) ON DELETE CASCADE,
    CONSTRAINT bus_substitute_driver_fkey FOREIGN KEY (driver_id) REFERENCES employee(id)
);
CREATE INDEX bus_substitute_driver_idx ON bus_substitute USING btree (driver_id, from_date);

CREATE TABLE calendar_feed (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    student_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT calendar_feed_pkey PRIMARY KEY (token_hash),
    CONSTRAINT calendar_feed_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE,
    CONSTRAINT calendar_feed_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX calendar_feed_user_idx ON calendar_feed USING btree (user_id);

CREATE TABLE certificate (
    id uuid NOT NULL,
    kind text NOT NULL,
    number integer NOT NULL,
    student_id uuid NOT NULL,
    purpose text DEFAULT ''::text NOT NULL,
    snapshot jsonb NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT certificate_kind_check CHECK ((kind = ANY (ARRAY['BONAFIDE'::text, 'FEE'::text]))),
    CONSTRAINT certificate_number_check CHECK ((number > 0)),
    CONSTRAINT certificate_purpose_check CHECK ((length(purpose) <= 200)),
    CONSTRAINT certificate_number_key UNIQUE (kind, number),
    CONSTRAINT certificate_pkey PRIMARY KEY (id),
    CONSTRAINT certificate_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX certificate_moment_idx ON certificate USING btree (kind, created_at, id);
CREATE INDEX certificate_student_idx ON certificate USING btree (student_id);
REVOKE ALL ON TABLE certificate FROM :school_role;
GRANT SELECT,INSERT ON TABLE certificate TO :school_role;

CREATE TABLE child_preference (
    user_id uuid NOT NULL,
    student_id uuid NOT NULL,
    type text NOT NULL,
    push boolean NOT NULL,
    sms boolean NOT NULL,
    email boolean NOT NULL,
    details boolean NOT NULL,
    CONSTRAINT child_preference_pkey PRIMARY KEY (user_id, student_id, type),
    CONSTRAINT child_preference_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE,
    CONSTRAINT child_preference_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX child_preference_student_idx ON child_preference USING btree (student_id);

CREATE TABLE subject (
    id uuid NOT NULL,
    name text NOT NULL,
    code text NOT NULL,
    type text DEFAULT 'CORE'::text NOT NULL,
    max_marks integer,
    pass_marks integer,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT subject_marks_check CHECK (((pass_marks IS NULL) OR (max_marks IS NULL) OR (pass_marks <= max_marks))),
    CONSTRAINT subject_max_marks_check CHECK ((max_marks > 0)),
    CONSTRAINT subject_pass_marks_check CHECK ((pass_marks >= 0)),
    CONSTRAINT subject_type_check CHECK ((type = ANY (ARRAY['CORE'::text, 'ELECTIVE'::text, 'CO_SCHOLASTIC'::text]))),
    CONSTRAINT subject_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX subject_code_key ON subject USING btree (lower(code));

CREATE TABLE class_subject (
    id uuid NOT NULL,
    class_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    weekly_periods integer DEFAULT 0 NOT NULL,
    CONSTRAINT class_subject_weekly_periods_check CHECK ((weekly_periods >= 0)),
    CONSTRAINT class_subject_key UNIQUE (class_id, subject_id),
    CONSTRAINT class_subject_pkey PRIMARY KEY (id),
    CONSTRAINT class_subject_class_fkey FOREIGN KEY (class_id) REFERENCES class(id) ON DELETE CASCADE,
    CONSTRAINT class_subject_subject_fkey FOREIGN KEY (subject_id) REFERENCES subject(id)
);

CREATE TABLE custom_field (
    id uuid NOT NULL,
    applies_to text NOT NULL,
    key text NOT NULL,
    label text NOT NULL,
    kind text NOT NULL,
    options jsonb DEFAULT '[]'::jsonb NOT NULL,
    required boolean DEFAULT false NOT NULL,
    in_list boolean DEFAULT false NOT NULL,
    personal boolean DEFAULT true NOT NULL,
    "position" integer NOT NULL,
    retired boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT custom_field_applies_to_check CHECK ((applies_to = ANY (ARRAY['STUDENT'::text, 'GUARDIAN'::text, 'EMPLOYEE'::text]))),
    CONSTRAINT custom_field_kind_check CHECK ((kind = ANY (ARRAY['TEXT'::text, 'NUMBER'::text, 'DATE'::text, 'YES_NO'::text, 'CHOICE'::text]))),
    CONSTRAINT custom_field_options_check CHECK ((jsonb_typeof(options) = 'array'::text)),
    CONSTRAINT custom_field_key_key UNIQUE (applies_to, key),
    CONSTRAINT custom_field_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX custom_field_label_key ON custom_field USING btree (applies_to, lower(label));

CREATE TABLE dispatch (
    id uuid NOT NULL,
    channel text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    body text NOT NULL,
    audience jsonb NOT NULL,
    recipients integer NOT NULL,
    segments integer DEFAULT 0 NOT NULL,
    cost bigint DEFAULT 0 NOT NULL,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    cleared_sent integer DEFAULT 0 NOT NULL,
    cleared_failed integer DEFAULT 0 NOT NULL,
    CONSTRAINT dispatch_channel_check CHECK ((channel = ANY (ARRAY['SMS'::text, 'EMAIL'::text]))),
    CONSTRAINT dispatch_pkey PRIMARY KEY (id)
);
CREATE INDEX dispatch_created_idx ON dispatch USING btree (created_at DESC, id DESC);

CREATE TABLE delivery (
    id uuid NOT NULL,
    channel text NOT NULL,
    recipient text NOT NULL,
    user_id uuid,
    purpose text NOT NULL,
    type text DEFAULT ''::text NOT NULL,
    record_id uuid,
    student_id uuid,
    dispatch_id uuid,
    title text NOT NULL,
    body text NOT NULL,
    badge integer DEFAULT 1 NOT NULL,
    segments integer DEFAULT 1 NOT NULL,
    dedupe_key text NOT NULL,
    state text DEFAULT 'QUEUED'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone NOT NULL,
    last_error text DEFAULT ''::text NOT NULL,
    provider_id text DEFAULT ''::text NOT NULL,
    sent_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    collapse_id uuid,
    urgent boolean DEFAULT false NOT NULL,
    expires_at timestamp with time zone,
    rule text,
    log_keys text[],
    wait_minutes integer,
    delivered_at timestamp with time zone,
    seen_at timestamp with time zone,
    due_at timestamp with time zone,
    overdue_at timestamp with time zone,
    batch_id uuid,
    CONSTRAINT delivery_channel_check CHECK ((channel = ANY (ARRAY['PUSH'::text, 'SMS'::text, 'EMAIL'::text, 'WHATSAPP'::text]))),
    CONSTRAINT delivery_purpose_check CHECK ((purpose = ANY (ARRAY['NOTICE'::text, 'DISPATCH'::text]))),
    CONSTRAINT delivery_state_check CHECK ((state = ANY (ARRAY['QUEUED'::text, 'SENT'::text, 'FAILED'::text]))),
    CONSTRAINT delivery_once UNIQUE (dedupe_key),
    CONSTRAINT delivery_pkey PRIMARY KEY (id),
    CONSTRAINT delivery_dispatch_fkey FOREIGN KEY (dispatch_id) REFERENCES dispatch(id)
);
CREATE INDEX delivery_about_idx ON delivery USING btree (record_id, user_id) WHERE (record_id IS NOT NULL);
CREATE INDEX delivery_batch_idx ON delivery USING btree (batch_id, user_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX delivery_created_idx ON delivery USING brin (created_at) WITH (pages_per_range='16');
CREATE INDEX delivery_digest_idx ON delivery USING btree (user_id) WHERE ((record_id IS NULL) AND (log_keys IS NOT NULL));
CREATE INDEX delivery_dispatch_idx ON delivery USING btree (dispatch_id, state) WHERE (dispatch_id IS NOT NULL);
CREATE INDEX delivery_due_idx ON delivery USING btree (channel, next_at) WHERE (state = 'QUEUED'::text);
CREATE INDEX delivery_record_idx ON delivery USING btree (record_id) WHERE ((record_id IS NOT NULL) AND (state = 'QUEUED'::text));
CREATE INDEX delivery_user_idx ON delivery USING btree (user_id) WHERE (state <> 'SENT'::text);

CREATE TABLE delivery_setting (
    id boolean DEFAULT true NOT NULL,
    quiet_from time without time zone,
    quiet_to time without time zone,
    sms_price bigint DEFAULT 0 NOT NULL,
    sms_daily_limit integer DEFAULT 2000 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_by uuid,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT delivery_setting_id_check CHECK (id),
    CONSTRAINT delivery_setting_quiet_check CHECK ((((quiet_from IS NULL) = (quiet_to IS NULL)) AND ((quiet_from IS NULL) OR (quiet_from <> quiet_to)))),
    CONSTRAINT delivery_setting_sms_daily_limit_check CHECK ((sms_daily_limit >= 0)),
    CONSTRAINT delivery_setting_sms_price_check CHECK ((sms_price >= 0)),
    CONSTRAINT delivery_setting_pkey PRIMARY KEY (id)
);

CREATE TABLE digest_entry (
    user_id uuid NOT NULL,
    key text NOT NULL,
    way text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    until timestamp with time zone,
    rule text DEFAULT 'DIGEST'::text NOT NULL,
    CONSTRAINT digest_entry_way_check CHECK ((way = ANY (ARRAY['RULE'::text, 'SMS'::text, 'EMAIL'::text]))),
    CONSTRAINT digest_entry_pkey PRIMARY KEY (user_id, key, way),
    CONSTRAINT digest_entry_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX digest_entry_due_idx ON digest_entry USING btree (due_at);

CREATE TABLE dispatch_template (
    id uuid NOT NULL,
    channel text NOT NULL,
    name text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    body text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT dispatch_template_channel_check CHECK ((channel = ANY (ARRAY['SMS'::text, 'EMAIL'::text]))),
    CONSTRAINT dispatch_template_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX dispatch_template_name_key ON dispatch_template USING btree (channel, lower(name));

CREATE TABLE enrolment (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    class_id uuid NOT NULL,
    division_id uuid NOT NULL,
    roll_number integer,
    start_date date NOT NULL,
    end_date date,
    outcome text,
    promotion_id uuid,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT enrolment_dates_check CHECK (((end_date IS NULL) OR (end_date >= start_date))),
    CONSTRAINT enrolment_outcome_check CHECK ((outcome = ANY (ARRAY['PROMOTED'::text, 'RETAINED'::text, 'LEFT'::text, 'MOVED'::text]))),
    CONSTRAINT enrolment_roll_number_check CHECK ((roll_number > 0)),
    CONSTRAINT enrolment_overlap_excl EXCLUDE USING gist (student_id WITH =, daterange(start_date, end_date, '[]'::text) WITH &&),
    CONSTRAINT enrolment_pkey PRIMARY KEY (id),
    CONSTRAINT enrolment_roll_excl EXCLUDE USING gist (division_id WITH =, roll_number WITH =, daterange(start_date, end_date, '[]'::text) WITH &&) WHERE ((roll_number IS NOT NULL)),
    CONSTRAINT enrolment_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT enrolment_division_fkey FOREIGN KEY (division_id) REFERENCES division(id),
    CONSTRAINT enrolment_student_fkey FOREIGN KEY (student_id) REFERENCES student(id),
    CONSTRAINT enrolment_year_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id)
);
CREATE INDEX enrolment_class_idx ON enrolment USING btree (class_id, start_date);
CREATE INDEX enrolment_division_idx ON enrolment USING btree (division_id, start_date);
CREATE UNIQUE INDEX enrolment_open_key ON enrolment USING btree (student_id) WHERE (end_date IS NULL);
CREATE INDEX enrolment_promotion_idx ON enrolment USING btree (promotion_id) WHERE (promotion_id IS NOT NULL);
CREATE INDEX enrolment_student_idx ON enrolment USING btree (student_id, start_date);
CREATE INDEX enrolment_year_idx ON enrolment USING btree (academic_year_id);

CREATE TABLE event (
    id uuid NOT NULL,
    title text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    event_date date NOT NULL,
    start_time time without time zone,
    end_time time without time zone,
    venue text DEFAULT ''::text NOT NULL,
    target_audience text DEFAULT 'ALL'::text NOT NULL,
    organiser_id uuid,
    capacity integer,
    signed_up integer DEFAULT 0 NOT NULL,
    cancelled_at timestamp with time zone,
    cancel_reason text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT event_capacity_check CHECK ((capacity > 0)),
    CONSTRAINT event_full_check CHECK ((signed_up <= capacity)),
    CONSTRAINT event_signed_up_check CHECK ((signed_up >= 0)),
    CONSTRAINT event_target_audience_check CHECK ((target_audience = ANY (ARRAY['ALL'::text, 'PARENTS'::text, 'STUDENTS'::text, 'TEACHERS'::text, 'CLASSES'::text]))),
    CONSTRAINT event_times_check CHECK ((end_time > start_time)),
    CONSTRAINT event_pkey PRIMARY KEY (id),
    CONSTRAINT event_organiser_fkey FOREIGN KEY (organiser_id) REFERENCES employee(id)
);
CREATE INDEX event_date_idx ON event USING btree (event_date, id);

CREATE TABLE event_class (
    event_id uuid NOT NULL,
    class_id uuid NOT NULL,
    CONSTRAINT event_class_pkey PRIMARY KEY (event_id, class_id),
    CONSTRAINT event_class_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT event_class_event_fkey FOREIGN KEY (event_id) REFERENCES event(id) ON DELETE CASCADE
);
CREATE INDEX event_class_class_idx ON event_class USING btree (class_id);

CREATE TABLE event_sign_up (
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    student_id uuid NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT event_sign_up_key UNIQUE (event_id, student_id),
    CONSTRAINT event_sign_up_pkey PRIMARY KEY (id),
    CONSTRAINT event_sign_up_event_fkey FOREIGN KEY (event_id) REFERENCES event(id),
    CONSTRAINT event_sign_up_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX event_sign_up_student_idx ON event_sign_up USING btree (student_id);

CREATE TABLE term (
    id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    name text NOT NULL,
    start_date date NOT NULL,
    end_date date NOT NULL,
    weight numeric(6,2) DEFAULT 1 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT term_dates_check CHECK ((end_date >= start_date)),
    CONSTRAINT term_weight_check CHECK ((weight >= (0)::numeric)),
    CONSTRAINT term_pkey PRIMARY KEY (id),
    CONSTRAINT term_year_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id)
);
CREATE UNIQUE INDEX term_name_key ON term USING btree (academic_year_id, lower(name));

CREATE TABLE exam (
    id uuid NOT NULL,
    name text NOT NULL,
    academic_year_id uuid NOT NULL,
    term_id uuid,
    start_date date,
    end_date date,
    weight numeric(6,2) DEFAULT 1 NOT NULL,
    status text DEFAULT 'DRAFT'::text NOT NULL,
    schedule_published_at timestamp with time zone,
    published_at timestamp with time zone,
    publication integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT exam_dates_check CHECK ((end_date >= start_date)),
    CONSTRAINT exam_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'SCHEDULED'::text, 'PUBLISHED'::text]))),
    CONSTRAINT exam_weight_check CHECK ((weight >= (0)::numeric)),
    CONSTRAINT exam_pkey PRIMARY KEY (id),
    CONSTRAINT exam_term_fkey FOREIGN KEY (term_id) REFERENCES term(id),
    CONSTRAINT exam_year_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id)
);
CREATE UNIQUE INDEX exam_name_key ON exam USING btree (academic_year_id, lower(name));
CREATE INDEX exam_start_idx ON exam USING btree (start_date, id);
CREATE INDEX exam_term_idx ON exam USING btree (term_id) WHERE (term_id IS NOT NULL);

CREATE TABLE exam_class (
    exam_id uuid NOT NULL,
    class_id uuid NOT NULL,
    CONSTRAINT exam_class_pkey PRIMARY KEY (exam_id, class_id),
    CONSTRAINT exam_class_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT exam_class_exam_fkey FOREIGN KEY (exam_id) REFERENCES exam(id) ON DELETE CASCADE
);
CREATE INDEX exam_class_class_idx ON exam_class USING btree (class_id);

CREATE TABLE exam_paper (
    id uuid NOT NULL,
    exam_id uuid NOT NULL,
    class_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    exam_date date NOT NULL,
    start_time time without time zone NOT NULL,
    end_time time without time zone NOT NULL,
    room text DEFAULT ''::text NOT NULL,
    invigilator_id uuid,
    max_marks numeric(7,2) NOT NULL,
    pass_marks numeric(7,2) NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT exam_paper_marks_check CHECK ((pass_marks <= max_marks)),
    CONSTRAINT exam_paper_max_marks_check CHECK ((max_marks > (0)::numeric)),
    CONSTRAINT exam_paper_pass_marks_check CHECK ((pass_marks >= (0)::numeric)),
    CONSTRAINT exam_paper_times_check CHECK ((end_time > start_time)),
    CONSTRAINT exam_paper_class_excl EXCLUDE USING gist (class_id WITH =, subject_id WITH =, tsrange((exam_date + start_time), (exam_date + end_time)) WITH &&) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT exam_paper_invigilator_excl EXCLUDE USING gist (invigilator_id WITH =, tsrange((exam_date + start_time), (exam_date + end_time)) WITH &&) WHERE ((invigilator_id IS NOT NULL)) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT exam_paper_key UNIQUE (exam_id, class_id, subject_id),
    CONSTRAINT exam_paper_pkey PRIMARY KEY (id),
    CONSTRAINT exam_paper_room_excl EXCLUDE USING gist (lower(room) WITH =, tsrange((exam_date + start_time), (exam_date + end_time)) WITH &&) WHERE ((room <> ''::text)) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT exam_paper_class_fkey FOREIGN KEY (exam_id, class_id) REFERENCES exam_class(exam_id, class_id),
    CONSTRAINT exam_paper_invigilator_fkey FOREIGN KEY (invigilator_id) REFERENCES employee(id),
    CONSTRAINT exam_paper_subject_fkey FOREIGN KEY (subject_id) REFERENCES subject(id)
);
CREATE INDEX exam_paper_date_idx ON exam_paper USING btree (exam_date);

CREATE TABLE exam_result (
    id uuid NOT NULL,
    paper_id uuid NOT NULL,
    student_id uuid NOT NULL,
    marks_obtained numeric(7,2),
    is_absent boolean DEFAULT false NOT NULL,
    is_exempt boolean DEFAULT false NOT NULL,
    grade text DEFAULT ''::text NOT NULL,
    remark text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT exam_result_marks_check CHECK (((NOT (is_absent AND is_exempt)) AND ((marks_obtained IS NULL) = (is_absent OR is_exempt)))),
    CONSTRAINT exam_result_marks_obtained_check CHECK ((marks_obtained >= (0)::numeric)),
    CONSTRAINT exam_result_key UNIQUE (paper_id, student_id),
    CONSTRAINT exam_result_pkey PRIMARY KEY (id),
    CONSTRAINT exam_result_paper_fkey FOREIGN KEY (paper_id) REFERENCES exam_paper(id),
    CONSTRAINT exam_result_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX exam_result_student_idx ON exam_result USING btree (student_id);

CREATE TABLE fee_head (
    id uuid NOT NULL,
    name text NOT NULL,
    code text NOT NULL,
    type text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    optional boolean DEFAULT false NOT NULL,
    amount_by text DEFAULT 'CLASS'::text NOT NULL,
    amounts jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT fee_head_amount_by_check CHECK ((amount_by = ANY (ARRAY['CLASS'::text, 'OPTION'::text, 'ROUTE'::text, 'STOP'::text]))),
    CONSTRAINT fee_head_amounts_check CHECK ((optional OR (amount_by = 'CLASS'::text))),
    CONSTRAINT fee_head_type_check CHECK ((type = ANY (ARRAY['TUITION'::text, 'TRANSPORT'::text, 'EXAM'::text, 'LIBRARY'::text, 'FINE'::text, 'OTHER'::text]))),
    CONSTRAINT fee_head_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX fee_head_code_key ON fee_head USING btree (lower(code));

CREATE TABLE fee_structure (
    id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    class_id uuid NOT NULL,
    name text NOT NULL,
    pro_rata boolean DEFAULT true NOT NULL,
    fine_type text DEFAULT 'NONE'::text NOT NULL,
    fine_amount bigint DEFAULT 0 NOT NULL,
    fine_grace_days integer DEFAULT 0 NOT NULL,
    fine_max_amount bigint DEFAULT 0 NOT NULL,
    fine_since date DEFAULT CURRENT_DATE NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT fee_structure_fine_amount_check CHECK ((fine_amount >= 0)),
    CONSTRAINT fee_structure_fine_grace_days_check CHECK (((fine_grace_days >= 0) AND (fine_grace_days <= 366))),
    CONSTRAINT fee_structure_fine_max_amount_check CHECK ((fine_max_amount >= 0)),
    CONSTRAINT fee_structure_fine_type_check CHECK ((fine_type = ANY (ARRAY['NONE'::text, 'FIXED'::text, 'PER_DAY'::text]))),
    CONSTRAINT fee_structure_class_key UNIQUE (class_id, academic_year_id),
    CONSTRAINT fee_structure_pkey PRIMARY KEY (id),
    CONSTRAINT fee_structure_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT fee_structure_year_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id)
);

CREATE TABLE ledger_account (
    id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    student_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ledger_account_student_check CHECK ((((type = 'STUDENT'::text) = (student_id IS NOT NULL)) AND ((student_id IS NULL) OR (student_id = id)))),
    CONSTRAINT ledger_account_type_check CHECK ((type = ANY (ARRAY['STUDENT'::text, 'INCOME'::text, 'CASH'::text, 'BANK'::text, 'CONCESSION'::text, 'FINE'::text, 'ADVANCE'::text, 'EXPENSE'::text, 'OPENING'::text, 'CLEARING'::text]))),
    CONSTRAINT ledger_account_code_key UNIQUE (code),
    CONSTRAINT ledger_account_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_account_student_id_key UNIQUE (student_id),
    CONSTRAINT ledger_account_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
REVOKE ALL ON TABLE ledger_account FROM :school_role;
GRANT SELECT,INSERT,DELETE ON TABLE ledger_account TO :school_role;

CREATE TABLE ledger_transaction (
    id uuid NOT NULL,
    kind text NOT NULL,
    value_date date NOT NULL,
    narration text NOT NULL,
    reverses_id uuid,
    idempotency_key text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ledger_transaction_kind_check CHECK ((kind = ANY (ARRAY['CHARGE'::text, 'PAYMENT'::text, 'CONCESSION'::text, 'FINE'::text, 'REVERSAL'::text, 'REFUND'::text, 'WRITE_OFF'::text, 'OPENING'::text, 'CASH_DIFFERENCE'::text, 'CLEARING'::text]))),
    CONSTRAINT ledger_transaction_reversal_check CHECK (((kind = 'REVERSAL'::text) = (reverses_id IS NOT NULL))),
    CONSTRAINT ledger_transaction_key_key UNIQUE (idempotency_key),
    CONSTRAINT ledger_transaction_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_transaction_reverses_key UNIQUE (reverses_id),
    CONSTRAINT ledger_transaction_reverses_fkey FOREIGN KEY (reverses_id) REFERENCES ledger_transaction(id)
);
CREATE INDEX ledger_transaction_write_off_idx ON ledger_transaction USING btree (value_date, id) WHERE (kind = 'WRITE_OFF'::text);
REVOKE ALL ON TABLE ledger_transaction FROM :school_role;
GRANT SELECT,INSERT ON TABLE ledger_transaction TO :school_role;

CREATE TABLE fee_invoice (
    id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    number text NOT NULL,
    student_id uuid NOT NULL,
    structure_id uuid,
    instalment smallint,
    name text NOT NULL,
    due_date date NOT NULL,
    lines jsonb NOT NULL,
    transaction_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT fee_invoice_instalment_check CHECK (((structure_id IS NULL) = (instalment IS NULL))),
    CONSTRAINT fee_invoice_entry_key UNIQUE (id, student_id, due_date),
    CONSTRAINT fee_invoice_number_key UNIQUE (academic_year_id, number),
    CONSTRAINT fee_invoice_once_key UNIQUE (student_id, structure_id, instalment),
    CONSTRAINT fee_invoice_pkey PRIMARY KEY (id),
    CONSTRAINT fee_invoice_transaction_id_key UNIQUE (transaction_id),
    CONSTRAINT fee_invoice_academic_year_id_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id),
    CONSTRAINT fee_invoice_structure_fkey FOREIGN KEY (structure_id) REFERENCES fee_structure(id),
    CONSTRAINT fee_invoice_student_fkey FOREIGN KEY (student_id) REFERENCES ledger_account(student_id),
    CONSTRAINT fee_invoice_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id)
);
CREATE INDEX fee_invoice_structure_idx ON fee_invoice USING btree (structure_id, instalment) WHERE (structure_id IS NOT NULL);
REVOKE ALL ON TABLE fee_invoice FROM :school_role;
GRANT SELECT,INSERT ON TABLE fee_invoice TO :school_role;

CREATE TABLE fee_concession (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    fee_head_id uuid,
    invoice_id uuid,
    mode text NOT NULL,
    value numeric(15,2) NOT NULL,
    category text NOT NULL,
    reason text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    ends_on date,
    CONSTRAINT fee_concession_category_check CHECK ((category = ANY (ARRAY['SIBLING'::text, 'STAFF'::text, 'MERIT'::text, 'OTHER'::text]))),
    CONSTRAINT fee_concession_mode_check CHECK ((mode = ANY (ARRAY['PERCENT'::text, 'AMOUNT'::text]))),
    CONSTRAINT fee_concession_value_check CHECK ((value > (0)::numeric)),
    CONSTRAINT fee_concession_pkey PRIMARY KEY (id),
    CONSTRAINT fee_concession_academic_year_id_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id),
    CONSTRAINT fee_concession_head_fkey FOREIGN KEY (fee_head_id) REFERENCES fee_head(id),
    CONSTRAINT fee_concession_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES fee_invoice(id),
    CONSTRAINT fee_concession_student_fkey FOREIGN KEY (student_id) REFERENCES ledger_account(student_id)
);
CREATE INDEX fee_concession_student_idx ON fee_concession USING btree (student_id);

CREATE TABLE fee_day_closing (
    day date NOT NULL,
    expected bigint NOT NULL,
    counted bigint NOT NULL,
    difference bigint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    transaction_id uuid,
    closed_by uuid,
    closed_at timestamp with time zone NOT NULL,
    CONSTRAINT fee_day_closing_counted_check CHECK ((counted >= 0)),
    CONSTRAINT fee_day_closing_difference_check CHECK (((difference = (counted - expected)) AND ((difference = 0) = (transaction_id IS NULL)))),
    CONSTRAINT fee_day_closing_pkey PRIMARY KEY (day),
    CONSTRAINT fee_day_closing_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id)
);
REVOKE ALL ON TABLE fee_day_closing FROM :school_role;
GRANT SELECT,INSERT ON TABLE fee_day_closing TO :school_role;

CREATE TABLE fee_fine (
    invoice_id uuid NOT NULL,
    day date NOT NULL,
    amount bigint NOT NULL,
    transaction_id uuid NOT NULL,
    CONSTRAINT fee_fine_amount_check CHECK ((amount > 0)),
    CONSTRAINT fee_fine_pkey PRIMARY KEY (invoice_id, day),
    CONSTRAINT fee_fine_transaction_id_key UNIQUE (transaction_id),
    CONSTRAINT fee_fine_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES fee_invoice(id),
    CONSTRAINT fee_fine_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id)
);
REVOKE ALL ON TABLE fee_fine FROM :school_role;
GRANT SELECT,INSERT ON TABLE fee_fine TO :school_role;

CREATE TABLE fee_fine_run (
    day date NOT NULL,
    run_at timestamp with time zone NOT NULL,
    CONSTRAINT fee_fine_run_pkey PRIMARY KEY (day)
);

CREATE TABLE fee_instalment (
    structure_id uuid NOT NULL,
    number smallint NOT NULL,
    name text NOT NULL,
    due_date date NOT NULL,
    percent numeric(5,2) NOT NULL,
    CONSTRAINT fee_instalment_number_check CHECK ((number > 0)),
    CONSTRAINT fee_instalment_percent_check CHECK ((percent > (0)::numeric)),
    CONSTRAINT fee_instalment_pkey PRIMARY KEY (structure_id, number),
    CONSTRAINT fee_instalment_structure_id_fkey FOREIGN KEY (structure_id) REFERENCES fee_structure(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX fee_instalment_name_key ON fee_instalment USING btree (structure_id, lower(name));

CREATE TABLE fee_receipt (
    id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    number integer NOT NULL,
    receipt_number text NOT NULL,
    student_id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    amount bigint NOT NULL,
    payment_mode text NOT NULL,
    reference_number text DEFAULT ''::text NOT NULL,
    received_on date NOT NULL,
    received_at timestamp with time zone NOT NULL,
    received_by uuid,
    allocations jsonb NOT NULL,
    family_payment_id uuid,
    in_clearing boolean DEFAULT false NOT NULL,
    CONSTRAINT fee_receipt_amount_check CHECK ((amount > 0)),
    CONSTRAINT fee_receipt_number_check CHECK ((number > 0)),
    CONSTRAINT fee_receipt_payment_mode_check CHECK ((payment_mode = ANY (ARRAY['CASH'::text, 'CHEQUE'::text, 'CARD'::text, 'UPI'::text, 'BANK_TRANSFER'::text, 'ONLINE'::text]))),
    CONSTRAINT fee_receipt_number_key UNIQUE (academic_year_id, number),
    CONSTRAINT fee_receipt_pkey PRIMARY KEY (id),
    CONSTRAINT fee_receipt_transaction_id_key UNIQUE (transaction_id),
    CONSTRAINT fee_receipt_academic_year_id_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id),
    CONSTRAINT fee_receipt_student_fkey FOREIGN KEY (student_id) REFERENCES ledger_account(student_id),
    CONSTRAINT fee_receipt_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id)
);
CREATE INDEX fee_receipt_clearing_idx ON fee_receipt USING btree (student_id) WHERE in_clearing;
CREATE INDEX fee_receipt_day_idx ON fee_receipt USING btree (received_on);
CREATE INDEX fee_receipt_family_payment_idx ON fee_receipt USING btree (family_payment_id) WHERE (family_payment_id IS NOT NULL);
CREATE INDEX fee_receipt_moment_idx ON fee_receipt USING btree (received_at, id);
CREATE INDEX fee_receipt_student_moment_idx ON fee_receipt USING btree (student_id, received_at);
REVOKE ALL ON TABLE fee_receipt FROM :school_role;
GRANT SELECT,INSERT ON TABLE fee_receipt TO :school_role;

CREATE TABLE fee_refund (
    id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    number integer NOT NULL,
    refund_number text NOT NULL,
    student_id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    amount bigint NOT NULL,
    payment_mode text NOT NULL,
    reference_number text DEFAULT ''::text NOT NULL,
    reason text NOT NULL,
    paid_on date NOT NULL,
    paid_at timestamp with time zone NOT NULL,
    paid_by uuid,
    CONSTRAINT fee_refund_amount_check CHECK ((amount > 0)),
    CONSTRAINT fee_refund_number_check CHECK ((number > 0)),
    CONSTRAINT fee_refund_payment_mode_check CHECK ((payment_mode = ANY (ARRAY['CASH'::text, 'CHEQUE'::text, 'CARD'::text, 'UPI'::text, 'BANK_TRANSFER'::text, 'ONLINE'::text]))),
    CONSTRAINT fee_refund_number_key UNIQUE (academic_year_id, number),
    CONSTRAINT fee_refund_pkey PRIMARY KEY (id),
    CONSTRAINT fee_refund_transaction_id_key UNIQUE (transaction_id),
    CONSTRAINT fee_refund_academic_year_id_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id),
    CONSTRAINT fee_refund_student_fkey FOREIGN KEY (student_id) REFERENCES ledger_account(student_id),
    CONSTRAINT fee_refund_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id)
);
CREATE INDEX fee_refund_day_idx ON fee_refund USING btree (paid_on);
CREATE INDEX fee_refund_moment_idx ON fee_refund USING btree (paid_at, id);
CREATE INDEX fee_refund_student_idx ON fee_refund USING btree (student_id);
REVOKE ALL ON TABLE fee_refund FROM :school_role;
GRANT SELECT,INSERT ON TABLE fee_refund TO :school_role;

CREATE TABLE fee_reminder (
    student_id uuid NOT NULL,
    day date NOT NULL,
    amount bigint NOT NULL,
    sent_by uuid,
    sent_at timestamp with time zone NOT NULL,
    CONSTRAINT fee_reminder_pkey PRIMARY KEY (student_id, day),
    CONSTRAINT fee_reminder_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);

CREATE TABLE fee_rule (
    id uuid NOT NULL,
    kind text NOT NULL,
    child integer DEFAULT 0 NOT NULL,
    fee_head_id uuid,
    percent numeric(5,2) NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT fee_rule_child_check CHECK (
CASE kind
    WHEN 'SIBLING'::text THEN ((child >= 2) AND (child <= 20))
    ELSE (child = 0)
END),
    CONSTRAINT fee_rule_kind_check CHECK ((kind = ANY (ARRAY['SIBLING'::text, 'STAFF'::text]))),
    CONSTRAINT fee_rule_percent_check CHECK (((percent > (0)::numeric) AND (percent <= (100)::numeric))),
    CONSTRAINT fee_rule_pkey PRIMARY KEY (id),
    CONSTRAINT fee_rule_head_fkey FOREIGN KEY (fee_head_id) REFERENCES fee_head(id)
);
CREATE UNIQUE INDEX fee_rule_key ON fee_rule USING btree (kind, child, COALESCE(fee_head_id, '00000000-0000-0000-0000-000000000000'::uuid));

CREATE TABLE fee_structure_head (
    structure_id uuid NOT NULL,
    fee_head_id uuid NOT NULL,
    "position" smallint NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT fee_structure_head_amount_check CHECK ((amount >= 0)),
    CONSTRAINT fee_structure_head_pkey PRIMARY KEY (structure_id, fee_head_id),
    CONSTRAINT fee_structure_head_head_fkey FOREIGN KEY (fee_head_id) REFERENCES fee_head(id),
    CONSTRAINT fee_structure_head_structure_id_fkey FOREIGN KEY (structure_id) REFERENCES fee_structure(id) ON DELETE CASCADE
);
CREATE INDEX fee_structure_head_head_idx ON fee_structure_head USING btree (fee_head_id);

CREATE TABLE fee_subscription (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    fee_head_id uuid NOT NULL,
    option_id uuid,
    from_date date NOT NULL,
    to_date date,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT fee_subscription_dates_check CHECK (((to_date IS NULL) OR (to_date >= from_date))),
    CONSTRAINT fee_subscription_overlap_excl EXCLUDE USING gist (student_id WITH =, fee_head_id WITH =, daterange(from_date, to_date, '[]'::text) WITH &&),
    CONSTRAINT fee_subscription_pkey PRIMARY KEY (id),
    CONSTRAINT fee_subscription_head_fkey FOREIGN KEY (fee_head_id) REFERENCES fee_head(id),
    CONSTRAINT fee_subscription_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX fee_subscription_head_idx ON fee_subscription USING btree (fee_head_id, student_id);
CREATE INDEX fee_subscription_student_idx ON fee_subscription USING btree (student_id);

CREATE TABLE fee_write_off (
    transaction_id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    number integer NOT NULL,
    write_off_number text NOT NULL,
    CONSTRAINT fee_write_off_number_check CHECK ((number > 0)),
    CONSTRAINT fee_write_off_number_key UNIQUE (academic_year_id, number),
    CONSTRAINT fee_write_off_pkey PRIMARY KEY (transaction_id),
    CONSTRAINT fee_write_off_academic_year_id_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id),
    CONSTRAINT fee_write_off_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id)
);
REVOKE ALL ON TABLE fee_write_off FROM :school_role;
GRANT SELECT,INSERT ON TABLE fee_write_off TO :school_role;

CREATE TABLE file_link (
    file_id uuid NOT NULL,
    kind text NOT NULL,
    record_id uuid NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    CONSTRAINT file_link_pkey PRIMARY KEY (file_id, kind, record_id),
    CONSTRAINT file_link_file_fkey FOREIGN KEY (file_id) REFERENCES file(id)
);
CREATE INDEX file_link_record_idx ON file_link USING btree (kind, record_id, "position");

CREATE TABLE guardian (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    first_name text NOT NULL,
    last_name text DEFAULT ''::text NOT NULL,
    phone text NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    occupation text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    erased_at timestamp with time zone,
    custom_fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT guardian_custom_fields_check CHECK ((jsonb_typeof(custom_fields) = 'object'::text)),
    CONSTRAINT guardian_pkey PRIMARY KEY (id),
    CONSTRAINT guardian_user_id_key UNIQUE (user_id),
    CONSTRAINT guardian_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX guardian_email_idx ON guardian USING btree (lower(email)) WHERE (email <> ''::text);
CREATE UNIQUE INDEX guardian_phone_key ON guardian USING btree (phone);

CREATE TABLE holiday (
    id uuid NOT NULL,
    name text NOT NULL,
    start_date date NOT NULL,
    end_date date NOT NULL,
    all_classes boolean DEFAULT true NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT holiday_dates_check CHECK ((end_date >= start_date)),
    CONSTRAINT holiday_pkey PRIMARY KEY (id)
);
CREATE INDEX holiday_dates_idx ON holiday USING btree (start_date, end_date);

CREATE TABLE holiday_class (
    holiday_id uuid NOT NULL,
    class_id uuid NOT NULL,
    CONSTRAINT holiday_class_pkey PRIMARY KEY (holiday_id, class_id),
    CONSTRAINT holiday_class_class_fkey FOREIGN KEY (class_id) REFERENCES class(id) ON DELETE CASCADE,
    CONSTRAINT holiday_class_holiday_fkey FOREIGN KEY (holiday_id) REFERENCES holiday(id) ON DELETE CASCADE
);
CREATE INDEX holiday_class_class_idx ON holiday_class USING btree (class_id);

CREATE TABLE holiday_division (
    holiday_id uuid NOT NULL,
    division_id uuid NOT NULL,
    CONSTRAINT holiday_division_pkey PRIMARY KEY (holiday_id, division_id),
    CONSTRAINT holiday_division_division_fkey FOREIGN KEY (division_id) REFERENCES division(id) ON DELETE CASCADE,
    CONSTRAINT holiday_division_holiday_fkey FOREIGN KEY (holiday_id) REFERENCES holiday(id) ON DELETE CASCADE
);
CREATE INDEX holiday_division_division_idx ON holiday_division USING btree (division_id);

CREATE TABLE idempotency (
    actor_id uuid NOT NULL,
    key text NOT NULL,
    row_name text NOT NULL,
    body_hash bytea NOT NULL,
    status integer,
    answer text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_pkey PRIMARY KEY (actor_id, key)
);
CREATE INDEX idempotency_created_idx ON idempotency USING btree (created_at);

CREATE TABLE import_run (
    id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    dry_run boolean NOT NULL,
    file_name text DEFAULT ''::text NOT NULL,
    rows_read integer DEFAULT 0 NOT NULL,
    rows_bad integer DEFAULT 0 NOT NULL,
    report jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    beat_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    undone_at timestamp with time zone,
    undone_by uuid,
    undo jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT import_run_kind_check CHECK ((kind ~ '^[A-Z_]{1,40}$'::text)),
    CONSTRAINT import_run_state_check CHECK ((state = ANY (ARRAY['RUNNING'::text, 'DONE'::text, 'REFUSED'::text, 'FAILED'::text]))),
    CONSTRAINT import_run_pkey PRIMARY KEY (id)
);
CREATE INDEX import_run_created_idx ON import_run USING btree (created_at DESC);
CREATE INDEX import_run_kind_idx ON import_run USING btree (kind, created_at DESC);

CREATE TABLE import_change (
    run_id uuid NOT NULL,
    table_name text NOT NULL,
    row_key text NOT NULL,
    sum text NOT NULL,
    before jsonb,
    CONSTRAINT import_change_pkey PRIMARY KEY (run_id, table_name, row_key),
    CONSTRAINT import_change_run_fkey FOREIGN KEY (run_id) REFERENCES import_run(id) ON DELETE CASCADE
);

CREATE TABLE incident (
    id uuid NOT NULL,
    bus_id uuid NOT NULL,
    trip_id uuid,
    type text NOT NULL,
    severity text DEFAULT 'MEDIUM'::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lat double precision,
    lng double precision,
    occurred_at timestamp with time zone NOT NULL,
    reported_by uuid NOT NULL,
    resolved_at timestamp with time zone,
    resolved_by uuid,
    resolution text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    release text DEFAULT 'RELEASED'::text NOT NULL,
    released_at timestamp with time zone,
    released_by uuid,
    CONSTRAINT incident_lat_check CHECK (((lat >= ('-90'::integer)::double precision) AND (lat <= (90)::double precision))),
    CONSTRAINT incident_lng_check CHECK (((lng >= ('-180'::integer)::double precision) AND (lng <= (180)::double precision))),
    CONSTRAINT incident_release_check CHECK ((release = ANY (ARRAY['WAITING'::text, 'RELEASED'::text, 'DISCARDED'::text]))),
    CONSTRAINT incident_severity_check CHECK ((severity = ANY (ARRAY['LOW'::text, 'MEDIUM'::text, 'HIGH'::text]))),
    CONSTRAINT incident_type_check CHECK ((type = ANY (ARRAY['vehicle_breakdown'::text, 'traffic_jam'::text, 'accident'::text, 'other'::text]))),
    CONSTRAINT incident_pkey PRIMARY KEY (id),
    CONSTRAINT incident_bus_fkey FOREIGN KEY (bus_id) REFERENCES bus(id),
    CONSTRAINT incident_trip_fkey FOREIGN KEY (trip_id) REFERENCES trip(id)
);
CREATE INDEX incident_bus_idx ON incident USING btree (bus_id, occurred_at DESC, id DESC);
CREATE INDEX incident_trip_idx ON incident USING btree (trip_id) WHERE (trip_id IS NOT NULL);

CREATE TABLE leave_entitlement (
    leave_type text NOT NULL,
    days_per_year double precision NOT NULL,
    updated_by uuid,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT leave_entitlement_days_per_year_check CHECK ((days_per_year >= (0)::double precision)),
    CONSTRAINT leave_entitlement_leave_type_check CHECK ((leave_type = ANY (ARRAY['SICK'::text, 'CASUAL'::text, 'EMERGENCY'::text]))),
    CONSTRAINT leave_entitlement_pkey PRIMARY KEY (leave_type)
);

CREATE TABLE leaving_certificate (
    id uuid NOT NULL,
    number integer NOT NULL,
    student_id uuid NOT NULL,
    leaving_date date NOT NULL,
    reason text NOT NULL,
    conduct text DEFAULT ''::text NOT NULL,
    snapshot jsonb NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT leaving_certificate_number_key UNIQUE (number),
    CONSTRAINT leaving_certificate_pkey PRIMARY KEY (id),
    CONSTRAINT leaving_certificate_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX leaving_certificate_student_idx ON leaving_certificate USING btree (student_id);

CREATE TABLE ledger_entry (
    transaction_id uuid NOT NULL,
    line smallint NOT NULL,
    account_id uuid NOT NULL,
    entry_type text NOT NULL,
    amount bigint NOT NULL,
    invoice_id uuid,
    due_date date,
    CONSTRAINT ledger_entry_amount_check CHECK ((amount > 0)),
    CONSTRAINT ledger_entry_entry_type_check CHECK ((entry_type = ANY (ARRAY['DR'::text, 'CR'::text]))),
    CONSTRAINT ledger_entry_invoice_check CHECK (((invoice_id IS NULL) = (due_date IS NULL))),
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (transaction_id, line),
    CONSTRAINT ledger_entry_account_fkey FOREIGN KEY (account_id) REFERENCES ledger_account(id),
    CONSTRAINT ledger_entry_invoice_fkey FOREIGN KEY (invoice_id, account_id, due_date) REFERENCES fee_invoice(id, student_id, due_date),
    CONSTRAINT ledger_entry_transaction_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id)
);
CREATE INDEX ledger_entry_account_idx ON ledger_entry USING btree (account_id);
REVOKE ALL ON TABLE ledger_entry FROM :school_role;
GRANT SELECT,INSERT ON TABLE ledger_entry TO :school_role;

CREATE TABLE student_group (
    id uuid NOT NULL,
    name text NOT NULL,
    subject_id uuid NOT NULL,
    kind text DEFAULT 'ELECTIVE'::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT student_group_kind_check CHECK ((kind = ANY (ARRAY['ELECTIVE'::text, 'BATCH'::text]))),
    CONSTRAINT student_group_pkey PRIMARY KEY (id),
    CONSTRAINT student_group_subject_fkey FOREIGN KEY (subject_id) REFERENCES subject(id)
);
CREATE UNIQUE INDEX student_group_name_key ON student_group USING btree (lower(name));
CREATE INDEX student_group_subject_idx ON student_group USING btree (subject_id);

CREATE TABLE lesson_register (
    id uuid NOT NULL,
    slot_id uuid NOT NULL,
    date date NOT NULL,
    division_id uuid,
    period_name text NOT NULL,
    start_time time without time zone NOT NULL,
    subject_name text NOT NULL,
    marked_by uuid NOT NULL,
    marked_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    group_id uuid,
    CONSTRAINT lesson_register_of_check CHECK ((num_nonnulls(division_id, group_id) = 1)),
    CONSTRAINT lesson_register_once UNIQUE (slot_id, date),
    CONSTRAINT lesson_register_pkey PRIMARY KEY (id),
    CONSTRAINT lesson_register_division_fkey FOREIGN KEY (division_id) REFERENCES division(id),
    CONSTRAINT lesson_register_group_fkey FOREIGN KEY (group_id) REFERENCES student_group(id)
);
CREATE INDEX lesson_register_division_idx ON lesson_register USING btree (division_id, date);
CREATE INDEX lesson_register_group_idx ON lesson_register USING btree (date, group_id) WHERE (group_id IS NOT NULL);

CREATE TABLE lesson_mark (
    register_id uuid NOT NULL,
    student_id uuid NOT NULL,
    status text NOT NULL,
    late_minutes integer,
    remark text DEFAULT ''::text NOT NULL,
    CONSTRAINT lesson_mark_late_minutes_check CHECK ((late_minutes >= 0)),
    CONSTRAINT lesson_mark_status_check CHECK ((status = ANY (ARRAY['PRESENT'::text, 'ABSENT'::text, 'LATE'::text, 'LEAVE'::text]))),
    CONSTRAINT lesson_mark_pkey PRIMARY KEY (register_id, student_id),
    CONSTRAINT lesson_mark_register_fkey FOREIGN KEY (register_id) REFERENCES lesson_register(id) ON DELETE CASCADE,
    CONSTRAINT lesson_mark_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX lesson_mark_student_idx ON lesson_mark USING btree (student_id);

CREATE TABLE library_loan (
    id uuid NOT NULL,
    copy_id uuid NOT NULL,
    student_id uuid,
    employee_id uuid,
    issued_on date NOT NULL,
    due_on date NOT NULL,
    renewals integer DEFAULT 0 NOT NULL,
    closed_on date,
    outcome text DEFAULT ''::text NOT NULL,
    fine bigint DEFAULT 0 NOT NULL,
    fine_transaction_id uuid,
    charge bigint DEFAULT 0 NOT NULL,
    charge_transaction_id uuid,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT library_loan_borrower_check CHECK (((student_id IS NULL) <> (employee_id IS NULL))),
    CONSTRAINT library_loan_charge_check CHECK ((charge >= 0)),
    CONSTRAINT library_loan_closed_check CHECK (((closed_on IS NULL) = (outcome = ''::text))),
    CONSTRAINT library_loan_dates_check CHECK (((due_on >= issued_on) AND (closed_on >= issued_on))),
    CONSTRAINT library_loan_fine_check CHECK ((fine >= 0)),
    CONSTRAINT library_loan_outcome_check CHECK ((outcome = ANY (ARRAY[''::text, 'RETURNED'::text, 'LOST'::text]))),
    CONSTRAINT library_loan_renewals_check CHECK ((renewals >= 0)),
    CONSTRAINT library_loan_pkey PRIMARY KEY (id),
    CONSTRAINT library_loan_charge_fkey FOREIGN KEY (charge_transaction_id) REFERENCES ledger_transaction(id),
    CONSTRAINT library_loan_copy_fkey FOREIGN KEY (copy_id) REFERENCES book_copy(id),
    CONSTRAINT library_loan_employee_fkey FOREIGN KEY (employee_id) REFERENCES employee(id),
    CONSTRAINT library_loan_fine_fkey FOREIGN KEY (fine_transaction_id) REFERENCES ledger_transaction(id),
    CONSTRAINT library_loan_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX library_loan_copy_idx ON library_loan USING btree (copy_id);
CREATE INDEX library_loan_due_idx ON library_loan USING btree (due_on, id) WHERE (closed_on IS NULL);
CREATE INDEX library_loan_employee_idx ON library_loan USING btree (employee_id) WHERE (employee_id IS NOT NULL);
CREATE INDEX library_loan_issued_idx ON library_loan USING btree (issued_on, id);
CREATE UNIQUE INDEX library_loan_open_key ON library_loan USING btree (copy_id) WHERE (closed_on IS NULL);
CREATE INDEX library_loan_student_idx ON library_loan USING btree (student_id) WHERE (student_id IS NOT NULL);

CREATE TABLE library_reservation (
    id uuid NOT NULL,
    book_id uuid NOT NULL,
    student_id uuid,
    employee_id uuid,
    status text DEFAULT 'WAITING'::text NOT NULL,
    copy_id uuid,
    hold_until date,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT library_reservation_borrower_check CHECK (((student_id IS NULL) <> (employee_id IS NULL))),
    CONSTRAINT library_reservation_ready_check CHECK (((status <> 'READY'::text) OR ((copy_id IS NOT NULL) AND (hold_until IS NOT NULL)))),
    CONSTRAINT library_reservation_status_check CHECK ((status = ANY (ARRAY['WAITING'::text, 'READY'::text, 'FULFILLED'::text, 'CANCELLED'::text, 'EXPIRED'::text]))),
    CONSTRAINT library_reservation_pkey PRIMARY KEY (id),
    CONSTRAINT library_reservation_book_fkey FOREIGN KEY (book_id) REFERENCES book(id),
    CONSTRAINT library_reservation_copy_fkey FOREIGN KEY (copy_id) REFERENCES book_copy(id),
    CONSTRAINT library_reservation_employee_fkey FOREIGN KEY (employee_id) REFERENCES employee(id),
    CONSTRAINT library_reservation_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX library_reservation_copy_idx ON library_reservation USING btree (copy_id) WHERE (copy_id IS NOT NULL);
CREATE INDEX library_reservation_created_idx ON library_reservation USING btree (created_at, id);
CREATE INDEX library_reservation_employee_idx ON library_reservation USING btree (employee_id) WHERE (employee_id IS NOT NULL);
CREATE INDEX library_reservation_hold_idx ON library_reservation USING btree (hold_until) WHERE (status = 'READY'::text);
CREATE UNIQUE INDEX library_reservation_hold_key ON library_reservation USING btree (copy_id) WHERE (status = 'READY'::text);
CREATE UNIQUE INDEX library_reservation_once_key ON library_reservation USING btree (book_id, COALESCE(student_id, employee_id)) WHERE (status = ANY (ARRAY['WAITING'::text, 'READY'::text]));
CREATE INDEX library_reservation_queue_idx ON library_reservation USING btree (book_id, created_at, id) WHERE (status = 'WAITING'::text);
CREATE INDEX library_reservation_student_idx ON library_reservation USING btree (student_id) WHERE (student_id IS NOT NULL);

CREATE TABLE list_copy (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    list text NOT NULL,
    base_id uuid,
    records bytea NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT list_copy_pkey PRIMARY KEY (id)
);
CREATE INDEX list_copy_used_idx ON list_copy USING btree (used_at);
CREATE INDEX list_copy_user_idx ON list_copy USING btree (user_id, list, used_at);

CREATE TABLE location (
    trip_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    lat double precision NOT NULL,
    lng double precision NOT NULL,
    speed real NOT NULL,
    heading real NOT NULL,
    received_at timestamp with time zone NOT NULL,
    CONSTRAINT location_pkey PRIMARY KEY (trip_id, at),
    CONSTRAINT location_trip_fkey FOREIGN KEY (trip_id) REFERENCES trip(id) ON DELETE CASCADE
);
REVOKE ALL ON TABLE location FROM :school_role;
GRANT SELECT,INSERT,DELETE ON TABLE location TO :school_role;

CREATE TABLE thread (
    id uuid NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    student_id uuid,
    last_message_at timestamp with time zone NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    office boolean DEFAULT false NOT NULL,
    office_read_at timestamp with time zone,
    CONSTRAINT thread_pkey PRIMARY KEY (id),
    CONSTRAINT thread_student_fkey FOREIGN KEY (student_id) REFERENCES student(id)
);
CREATE INDEX thread_office_idx ON thread USING btree (last_message_at) WHERE office;
CREATE INDEX thread_student_idx ON thread USING btree (student_id) WHERE (student_id IS NOT NULL);

CREATE TABLE message (
    id uuid NOT NULL,
    thread_id uuid NOT NULL,
    sender_id uuid NOT NULL,
    body text NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    CONSTRAINT message_pkey PRIMARY KEY (id),
    CONSTRAINT message_sender_fkey FOREIGN KEY (sender_id) REFERENCES app_user(id),
    CONSTRAINT message_thread_fkey FOREIGN KEY (thread_id) REFERENCES thread(id) ON DELETE CASCADE
);
CREATE INDEX message_thread_idx ON message USING btree (thread_id, sent_at, id);

CREATE TABLE module (
    id uuid NOT NULL,
    name text NOT NULL,
    display_name text NOT NULL,
    CONSTRAINT module_name_key UNIQUE (name),
    CONSTRAINT module_pkey PRIMARY KEY (id)
);

CREATE TABLE not_riding (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    date date NOT NULL,
    trip_type text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT not_riding_trip_type_check CHECK ((trip_type = ANY (ARRAY['pickup'::text, 'dropoff'::text]))),
    CONSTRAINT not_riding_once UNIQUE (student_id, date, trip_type),
    CONSTRAINT not_riding_pkey PRIMARY KEY (id),
    CONSTRAINT not_riding_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE
);
CREATE INDEX not_riding_date_idx ON not_riding USING btree (date);

CREATE TABLE notice (
    id uuid NOT NULL,
    type text NOT NULL,
    key text NOT NULL,
    record_id uuid,
    student_id uuid,
    user_id uuid,
    title text NOT NULL,
    body text NOT NULL,
    teaser text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    told_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    silent boolean DEFAULT false NOT NULL,
    urgent boolean DEFAULT false NOT NULL,
    until timestamp with time zone,
    said_today text DEFAULT ''::text NOT NULL,
    said_next_day text DEFAULT ''::text NOT NULL,
    alarm boolean DEFAULT false NOT NULL,
    detail boolean DEFAULT false NOT NULL,
    texts jsonb,
    batch_id uuid,
    CONSTRAINT notice_addressee CHECK (((student_id IS NOT NULL) OR (user_id IS NOT NULL))),
    CONSTRAINT notice_type_check CHECK ((type = ANY (ARRAY['ANNOUNCEMENT'::text, 'ATTENDANCE'::text, 'RESULT'::text, 'FEE'::text, 'LEAVE_REQUEST'::text, 'MESSAGE'::text, 'TRANSPORT'::text, 'LIBRARY'::text, 'TIMETABLE'::text, 'EXAM'::text, 'EVENT'::text]))),
    CONSTRAINT notice_key_key UNIQUE (key),
    CONSTRAINT notice_pkey PRIMARY KEY (id),
    CONSTRAINT notice_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE,
    CONSTRAINT notice_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX notice_created_idx ON notice USING brin (created_at) WITH (pages_per_range='16');
CREATE INDEX notice_record_idx ON notice USING btree (record_id);
CREATE INDEX notice_student_idx ON notice USING btree (student_id);
CREATE INDEX notice_user_idx ON notice USING btree (user_id);

CREATE TABLE notice_batch (
    id uuid NOT NULL,
    kind text NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    sent_by uuid,
    CONSTRAINT notice_batch_kind_check CHECK ((kind = ANY (ARRAY['FEE_REMINDER'::text, 'FEE_CHARGE'::text, 'OVERDUE_BOOKS'::text]))),
    CONSTRAINT notice_batch_pkey PRIMARY KEY (id)
);
CREATE INDEX notice_batch_kind_idx ON notice_batch USING btree (kind, sent_at DESC, id);
CREATE INDEX notice_batch_sent_idx ON notice_batch USING btree (sent_at DESC, id);

CREATE TABLE notice_rule (
    type text NOT NULL,
    ways text[] NOT NULL,
    wait_minutes integer,
    may_turn_off boolean DEFAULT true NOT NULL,
    digest boolean DEFAULT false NOT NULL,
    CONSTRAINT notice_rule_digest_check CHECK (((NOT digest) OR (type <> ALL (ARRAY['URGENT'::text, 'DIGEST'::text])))),
    CONSTRAINT notice_rule_wait_check CHECK (((wait_minutes >= 1) AND (wait_minutes <= 1440))),
    CONSTRAINT notice_rule_ways_check CHECK (((ways <@ ARRAY['PUSH'::text, 'SMS'::text, 'EMAIL'::text, 'WHATSAPP'::text]) AND ((cardinality(ways) >= 1) AND (cardinality(ways) <= 4)) AND (COALESCE(array_position(ways, 'PUSH'::text), 1) = 1))),
    CONSTRAINT notice_rule_pkey PRIMARY KEY (type)
);

CREATE TABLE notification (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    dedupe_key text NOT NULL,
    type text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    record_id uuid,
    student_id uuid,
    read_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    batch_id uuid,
    CONSTRAINT notification_once UNIQUE (user_id, dedupe_key),
    CONSTRAINT notification_pkey PRIMARY KEY (id),
    CONSTRAINT notification_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX notification_about_idx ON notification USING btree (record_id) WHERE (record_id IS NOT NULL);
CREATE INDEX notification_batch_idx ON notification USING btree (batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX notification_created_idx ON notification USING brin (created_at) WITH (pages_per_range='16');
CREATE INDEX notification_record_idx ON notification USING btree (record_id) WHERE (type = 'ANNOUNCEMENT'::text);
CREATE INDEX notification_unread_idx ON notification USING btree (user_id) WHERE (read_at IS NULL);
CREATE INDEX notification_user_idx ON notification USING btree (user_id, created_at DESC, id DESC);

CREATE TABLE notification_preference (
    user_id uuid NOT NULL,
    type text NOT NULL,
    push boolean NOT NULL,
    sms boolean NOT NULL,
    email boolean NOT NULL,
    details boolean DEFAULT false NOT NULL,
    CONSTRAINT notification_preference_pkey PRIMARY KEY (user_id, type),
    CONSTRAINT notification_preference_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);

CREATE TABLE number_series (
    name text NOT NULL,
    next bigint DEFAULT 1 NOT NULL,
    CONSTRAINT number_series_pkey PRIMARY KEY (name)
);

CREATE TABLE outbox (
    id uuid NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    last_error text DEFAULT ''::text NOT NULL,
    CONSTRAINT outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX outbox_next_idx ON outbox USING btree (next_at, id);

CREATE TABLE period (
    id uuid NOT NULL,
    name text NOT NULL,
    start_time time without time zone NOT NULL,
    end_time time without time zone NOT NULL,
    is_break boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT period_times_check CHECK ((end_time > start_time)),
    CONSTRAINT period_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX period_name_key ON period USING btree (lower(name));

CREATE TABLE permission (
    id uuid NOT NULL,
    role_id uuid NOT NULL,
    module_id uuid NOT NULL,
    can_read boolean DEFAULT false NOT NULL,
    can_write boolean DEFAULT false NOT NULL,
    can_delete boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT permission_pkey PRIMARY KEY (id),
    CONSTRAINT permission_role_id_module_id_key UNIQUE (role_id, module_id),
    CONSTRAINT permission_module_id_fkey FOREIGN KEY (module_id) REFERENCES module(id) ON DELETE CASCADE,
    CONSTRAINT permission_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE
);

CREATE TABLE principal_remark (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    remark text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT principal_remark_key UNIQUE (student_id, academic_year_id),
    CONSTRAINT principal_remark_pkey PRIMARY KEY (id),
    CONSTRAINT principal_remark_student_fkey FOREIGN KEY (student_id) REFERENCES student(id),
    CONSTRAINT principal_remark_year_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id)
);

CREATE TABLE promotion (
    id uuid NOT NULL,
    from_year_id uuid NOT NULL,
    to_year_id uuid NOT NULL,
    class_id uuid NOT NULL,
    summary jsonb NOT NULL,
    undone_at timestamp with time zone,
    undone_by uuid,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT promotion_pkey PRIMARY KEY (id),
    CONSTRAINT promotion_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT promotion_from_year_fkey FOREIGN KEY (from_year_id) REFERENCES academic_year(id),
    CONSTRAINT promotion_to_year_fkey FOREIGN KEY (to_year_id) REFERENCES academic_year(id)
);
CREATE INDEX promotion_class_idx ON promotion USING btree (class_id, from_year_id);

CREATE TABLE report_card_remark (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    academic_year_id uuid NOT NULL,
    remark text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT report_card_remark_key UNIQUE (student_id, academic_year_id),
    CONSTRAINT report_card_remark_pkey PRIMARY KEY (id),
    CONSTRAINT report_card_remark_student_fkey FOREIGN KEY (student_id) REFERENCES student(id),
    CONSTRAINT report_card_remark_year_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id)
);

CREATE TABLE ride (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    route_id uuid NOT NULL,
    stop_id uuid NOT NULL,
    direction text NOT NULL,
    start_date date NOT NULL,
    end_date date,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ride_dates_check CHECK (((end_date IS NULL) OR (end_date >= start_date))),
    CONSTRAINT ride_overlap_excl EXCLUDE USING gist (student_id WITH =, direction WITH =, daterange(start_date, end_date, '[]'::text) WITH &&),
    CONSTRAINT ride_pkey PRIMARY KEY (id),
    CONSTRAINT ride_route_fkey FOREIGN KEY (route_id, direction) REFERENCES route(id, direction) ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT ride_stop_fkey FOREIGN KEY (route_id, stop_id) REFERENCES stop(route_id, id),
    CONSTRAINT ride_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE
);
CREATE INDEX ride_route_idx ON ride USING btree (route_id, start_date);
CREATE INDEX ride_stop_idx ON ride USING btree (stop_id);

CREATE TABLE school_setting (
    id boolean DEFAULT true NOT NULL,
    evaluation_mode boolean DEFAULT false NOT NULL,
    evaluation_mode_reason text DEFAULT ''::text NOT NULL,
    policy_version bigint DEFAULT 1 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_by uuid,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    admission_number_pattern text DEFAULT '{year}-{0000}'::text NOT NULL,
    attendance_notice_delay_minutes integer DEFAULT 0 NOT NULL,
    fee_reminder_text text DEFAULT 'Dear parent, {amount} is outstanding for {student}, due on {dueDate}. Please pay at your earliest convenience.'::text NOT NULL,
    trails_thinned_to date,
    library_student_books integer DEFAULT 3 NOT NULL,
    library_student_days integer DEFAULT 14 NOT NULL,
    library_student_renewals integer DEFAULT 1 NOT NULL,
    library_employee_books integer DEFAULT 10 NOT NULL,
    library_employee_days integer DEFAULT 30 NOT NULL,
    library_employee_renewals integer DEFAULT 2 NOT NULL,
    library_fine_per_day bigint DEFAULT 0 NOT NULL,
    library_fine_grace_days integer DEFAULT 0 NOT NULL,
    library_fine_max_amount bigint DEFAULT 0 NOT NULL,
    evaluation_mode_from timestamp with time zone,
    evaluation_mode_until timestamp with time zone,
    name text DEFAULT ''::text NOT NULL,
    time_zone text DEFAULT ''::text NOT NULL,
    locale text DEFAULT ''::text NOT NULL,
    currency text DEFAULT ''::text NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    phone text DEFAULT ''::text NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    website text DEFAULT ''::text NOT NULL,
    principal_name text DEFAULT ''::text NOT NULL,
    logo_file_id uuid,
    first_day_of_week smallint DEFAULT 1 NOT NULL,
    attendance_cut_off time without time zone,
    attendance_teacher_days integer DEFAULT 7 NOT NULL,
    late_fine_type text DEFAULT 'NONE'::text NOT NULL,
    late_fine_amount bigint DEFAULT 0 NOT NULL,
    late_fine_grace_days integer DEFAULT 0 NOT NULL,
    late_fine_max_amount bigint DEFAULT 0 NOT NULL,
    quiet_from time without time zone DEFAULT '21:00:00'::time without time zone,
    quiet_to time without time zone DEFAULT '07:00:00'::time without time zone,
    sms_price bigint DEFAULT 0 NOT NULL,
    sms_daily_limit integer DEFAULT 2000 NOT NULL,
    second_factor_required boolean DEFAULT false NOT NULL,
    pass_rule text DEFAULT 'SUBJECTS'::text NOT NULL,
    pass_percent integer DEFAULT 0 NOT NULL,
    grace_marks integer DEFAULT 0 NOT NULL,
    grace_subjects integer DEFAULT 1 NOT NULL,
    compartment_subjects integer DEFAULT 0 NOT NULL,
    rank_ties text DEFAULT 'SKIP'::text NOT NULL,
    pro_rata_by text DEFAULT 'MONTHS'::text NOT NULL,
    fee_round_to bigint DEFAULT 1 NOT NULL,
    report_card_template text DEFAULT 'SIMPLE'::text NOT NULL,
    leaving_certificate_template text DEFAULT 'SIMPLE'::text NOT NULL,
    late_fine_threshold bigint DEFAULT 0 NOT NULL,
    attendance_by text DEFAULT 'DAY'::text NOT NULL,
    incidents_to text DEFAULT 'ALL'::text NOT NULL,
    notice_past_days integer DEFAULT 0 NOT NULL,
    lock_screen text DEFAULT 'CHILD'::text NOT NULL,
    substitutions_to_classes boolean DEFAULT false NOT NULL,
    whatsapp_price bigint DEFAULT 0 NOT NULL,
    digest_at time without time zone DEFAULT '18:00:00'::time without time zone,
    whatsapp_daily_limit integer DEFAULT 2000 NOT NULL,
    CONSTRAINT school_setting_admission_pattern_check CHECK ((admission_number_pattern ~ '^[^{}]*(\{(year|yy)\}[^{}]*)*\{0{1,9}\}[^{}]*(\{(year|yy)\}[^{}]*)*$'::text)),
    CONSTRAINT school_setting_attendance_by_check CHECK ((attendance_by = ANY (ARRAY['DAY'::text, 'PERIOD'::text]))),
    CONSTRAINT school_setting_attendance_teacher_days_check CHECK (((attendance_teacher_days >= 0) AND (attendance_teacher_days <= 60))),
    CONSTRAINT school_setting_compartment_subjects_check CHECK (((compartment_subjects >= 0) AND (compartment_subjects <= 50))),
    CONSTRAINT school_setting_currency_check CHECK ((currency ~ '^([A-Z]{3})?$'::text)),
    CONSTRAINT school_setting_evaluation_check CHECK ((evaluation_mode_until > evaluation_mode_from)),
    CONSTRAINT school_setting_fee_reminder_check CHECK ((fee_reminder_text !~ '\{(?!(student|amount|dueDate)\})'::text)),
    CONSTRAINT school_setting_fee_round_to_check CHECK (((fee_round_to >= 1) AND (fee_round_to <= 10000000))),
    CONSTRAINT school_setting_first_day_of_week_check CHECK (((first_day_of_week >= 0) AND (first_day_of_week <= 6))),
    CONSTRAINT school_setting_grace_marks_check CHECK (((grace_marks >= 0) AND (grace_marks <= 100))),
    CONSTRAINT school_setting_grace_subjects_check CHECK (((grace_subjects >= 1) AND (grace_subjects <= 50))),
    CONSTRAINT school_setting_id_check CHECK (id),
    CONSTRAINT school_setting_incidents_to_check CHECK ((incidents_to = ANY (ARRAY['ALL'::text, 'OFFICE'::text]))),
    CONSTRAINT school_setting_late_fine_amount_check CHECK (((late_fine_amount >= 0) AND (late_fine_amount <= '1000000000000'::bigint))),
    CONSTRAINT school_setting_late_fine_check CHECK (((late_fine_type = 'NONE'::text) OR (late_fine_amount > 0))),
    CONSTRAINT school_setting_late_fine_grace_days_check CHECK (((late_fine_grace_days >= 0) AND (late_fine_grace_days <= 366))),
    CONSTRAINT school_setting_late_fine_max_amount_check CHECK (((late_fine_max_amount >= 0) AND (late_fine_max_amount <= '1000000000000'::bigint))),
    CONSTRAINT school_setting_late_fine_threshold_check CHECK (((late_fine_threshold >= 0) AND (late_fine_threshold <= '1000000000000'::bigint))),
    CONSTRAINT school_setting_late_fine_type_check CHECK ((late_fine_type = ANY (ARRAY['NONE'::text, 'FIXED'::text, 'PER_DAY'::text]))),
    CONSTRAINT school_setting_leaving_certificate_template_check CHECK ((leaving_certificate_template = ANY (ARRAY['SIMPLE'::text, 'CBSE'::text, 'BRITISH'::text]))),
    CONSTRAINT school_setting_library_check CHECK (((library_student_books >= 0) AND (library_student_books <= 1000))),
    CONSTRAINT school_setting_library_employee_books_check CHECK (((library_employee_books >= 0) AND (library_employee_books <= 1000))),
    CONSTRAINT school_setting_library_employee_days_check CHECK (((library_employee_days >= 1) AND (library_employee_days <= 366))),
    CONSTRAINT school_setting_library_employee_renewals_check CHECK (((library_employee_renewals >= 0) AND (library_employee_renewals <= 100))),
    CONSTRAINT school_setting_library_fine_grace_days_check CHECK (((library_fine_grace_days >= 0) AND (library_fine_grace_days <= 366))),
    CONSTRAINT school_setting_library_fine_max_amount_check CHECK (((library_fine_max_amount >= 0) AND (library_fine_max_amount <= '1000000000000'::bigint))),
    CONSTRAINT school_setting_library_fine_per_day_check CHECK (((library_fine_per_day >= 0) AND (library_fine_per_day <= 1000000000))),
    CONSTRAINT school_setting_library_student_days_check CHECK (((library_student_days >= 1) AND (library_student_days <= 366))),
    CONSTRAINT school_setting_library_student_renewals_check CHECK (((library_student_renewals >= 0) AND (library_student_renewals <= 100))),
    CONSTRAINT school_setting_lock_screen_check CHECK ((lock_screen = ANY (ARRAY['NOTHING'::text, 'CHILD'::text, 'FULL'::text]))),
    CONSTRAINT school_setting_notice_delay_check CHECK (((attendance_notice_delay_minutes >= 0) AND (attendance_notice_delay_minutes <= 1440))),
    CONSTRAINT school_setting_notice_past_days_check CHECK (((notice_past_days >= 0) AND (notice_past_days <= 366))),
    CONSTRAINT school_setting_pass_percent_check CHECK (((pass_percent >= 0) AND (pass_percent <= 100))),
    CONSTRAINT school_setting_pass_rule_check CHECK ((pass_rule = ANY (ARRAY['TOTAL'::text, 'SUBJECTS'::text, 'EXAMS'::text]))),
    CONSTRAINT school_setting_pro_rata_by_check CHECK ((pro_rata_by = ANY (ARRAY['MONTHS'::text, 'DAYS'::text]))),
    CONSTRAINT school_setting_quiet_check CHECK ((((quiet_from IS NULL) = (quiet_to IS NULL)) AND ((quiet_from IS NULL) OR (quiet_from <> quiet_to)))),
    CONSTRAINT school_setting_rank_ties_check CHECK ((rank_ties = ANY (ARRAY['SKIP'::text, 'DENSE'::text]))),
    CONSTRAINT school_setting_report_card_template_check CHECK ((report_card_template = ANY (ARRAY['SIMPLE'::text, 'CBSE'::text, 'BRITISH'::text]))),
    CONSTRAINT school_setting_sms_daily_limit_check CHECK ((sms_daily_limit >= 0)),
    CONSTRAINT school_setting_sms_price_check CHECK ((sms_price >= 0)),
    CONSTRAINT school_setting_whatsapp_daily_limit_check CHECK ((whatsapp_daily_limit >= 0)),
    CONSTRAINT school_setting_whatsapp_price_check CHECK ((whatsapp_price >= 0)),
    CONSTRAINT school_setting_pkey PRIMARY KEY (id),
    CONSTRAINT school_setting_logo_fkey FOREIGN KEY (logo_file_id) REFERENCES file(id)
);

CREATE TABLE sign_in_provider (
    id uuid NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    domains jsonb NOT NULL,
    status text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by uuid,
    updated_by uuid,
    CONSTRAINT sign_in_provider_status_check CHECK ((status = ANY (ARRAY['ON'::text, 'OFF'::text]))),
    CONSTRAINT sign_in_provider_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX sign_in_provider_name_key ON sign_in_provider USING btree (lower(name));

CREATE TABLE sign_in_link (
    id uuid NOT NULL,
    provider_id uuid NOT NULL,
    user_id uuid NOT NULL,
    subject text NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    CONSTRAINT sign_in_link_pkey PRIMARY KEY (id),
    CONSTRAINT sign_in_link_subject_key UNIQUE (provider_id, subject),
    CONSTRAINT sign_in_link_user_key UNIQUE (provider_id, user_id),
    CONSTRAINT sign_in_link_provider_fkey FOREIGN KEY (provider_id) REFERENCES sign_in_provider(id) ON DELETE CASCADE,
    CONSTRAINT sign_in_link_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_link_user_idx ON sign_in_link USING btree (user_id);

CREATE TABLE sms_day (
    day date NOT NULL,
    segments integer NOT NULL,
    CONSTRAINT sms_day_pkey PRIMARY KEY (day)
);

CREATE TABLE student_group_division (
    group_id uuid NOT NULL,
    division_id uuid NOT NULL,
    CONSTRAINT student_group_division_pkey PRIMARY KEY (group_id, division_id),
    CONSTRAINT student_group_division_division_fkey FOREIGN KEY (division_id) REFERENCES division(id),
    CONSTRAINT student_group_division_group_fkey FOREIGN KEY (group_id) REFERENCES student_group(id) ON DELETE CASCADE
);
CREATE INDEX student_group_division_idx ON student_group_division USING btree (division_id);

CREATE TABLE student_group_member (
    id uuid NOT NULL,
    group_id uuid NOT NULL,
    student_id uuid NOT NULL,
    from_date date NOT NULL,
    to_date date,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT student_group_member_dates_check CHECK (((to_date IS NULL) OR (to_date >= from_date))),
    CONSTRAINT student_group_member_overlap_excl EXCLUDE USING gist (student_id WITH =, group_id WITH =, daterange(from_date, to_date, '[]'::text) WITH &&),
    CONSTRAINT student_group_member_pkey PRIMARY KEY (id),
    CONSTRAINT student_group_member_group_fkey FOREIGN KEY (group_id) REFERENCES student_group(id),
    CONSTRAINT student_group_member_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE
);
CREATE INDEX student_group_member_group_idx ON student_group_member USING btree (group_id);
CREATE INDEX student_group_member_student_idx ON student_group_member USING btree (student_id);

CREATE TABLE student_guardian (
    id uuid NOT NULL,
    student_id uuid NOT NULL,
    guardian_id uuid NOT NULL,
    relation text NOT NULL,
    is_primary boolean DEFAULT false NOT NULL,
    has_custody boolean DEFAULT true NOT NULL,
    can_view_data boolean DEFAULT true NOT NULL,
    can_pick_up boolean DEFAULT true NOT NULL,
    is_fee_payer boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT student_guardian_relation_check CHECK ((relation = ANY (ARRAY['FATHER'::text, 'MOTHER'::text, 'GUARDIAN'::text, 'OTHER'::text]))),
    CONSTRAINT student_guardian_key UNIQUE (student_id, guardian_id),
    CONSTRAINT student_guardian_pkey PRIMARY KEY (id),
    CONSTRAINT student_guardian_guardian_fkey FOREIGN KEY (guardian_id) REFERENCES guardian(id),
    CONSTRAINT student_guardian_student_fkey FOREIGN KEY (student_id) REFERENCES student(id) ON DELETE CASCADE
);
CREATE INDEX student_guardian_guardian_idx ON student_guardian USING btree (guardian_id);
CREATE UNIQUE INDEX student_guardian_primary_key ON student_guardian USING btree (student_id) WHERE is_primary;

CREATE TABLE timetable_slot (
    id uuid NOT NULL,
    division_id uuid,
    day_of_week smallint NOT NULL,
    period_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    teacher_id uuid,
    room text DEFAULT ''::text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    group_id uuid,
    CONSTRAINT timetable_slot_day_of_week_check CHECK (((day_of_week >= 1) AND (day_of_week <= 7))),
    CONSTRAINT timetable_slot_of_check CHECK ((num_nonnulls(division_id, group_id) = 1)),
    CONSTRAINT timetable_slot_division_key UNIQUE (division_id, day_of_week, period_id),
    CONSTRAINT timetable_slot_pkey PRIMARY KEY (id),
    CONSTRAINT timetable_slot_division_fkey FOREIGN KEY (division_id) REFERENCES division(id) ON DELETE CASCADE,
    CONSTRAINT timetable_slot_group_fkey FOREIGN KEY (group_id) REFERENCES student_group(id),
    CONSTRAINT timetable_slot_period_fkey FOREIGN KEY (period_id) REFERENCES period(id),
    CONSTRAINT timetable_slot_subject_fkey FOREIGN KEY (subject_id) REFERENCES subject(id),
    CONSTRAINT timetable_slot_teacher_fkey FOREIGN KEY (teacher_id) REFERENCES employee(id)
);
CREATE UNIQUE INDEX timetable_slot_group_key ON timetable_slot USING btree (group_id, day_of_week, period_id) WHERE (group_id IS NOT NULL);
CREATE UNIQUE INDEX timetable_slot_room_key ON timetable_slot USING btree (lower(room), day_of_week, period_id) WHERE (room <> ''::text);
CREATE UNIQUE INDEX timetable_slot_teacher_key ON timetable_slot USING btree (teacher_id, day_of_week, period_id) WHERE (teacher_id IS NOT NULL);

CREATE TABLE substitution (
    id uuid NOT NULL,
    slot_id uuid NOT NULL,
    date date NOT NULL,
    substitute_teacher_id uuid NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT substitution_key UNIQUE (slot_id, date),
    CONSTRAINT substitution_pkey PRIMARY KEY (id),
    CONSTRAINT substitution_slot_fkey FOREIGN KEY (slot_id) REFERENCES timetable_slot(id) ON DELETE CASCADE,
    CONSTRAINT substitution_teacher_fkey FOREIGN KEY (substitute_teacher_id) REFERENCES employee(id)
);
CREATE INDEX substitution_date_idx ON substitution USING btree (date, substitute_teacher_id);

CREATE TABLE suppression (
    channel text NOT NULL,
    recipient text NOT NULL,
    reason text NOT NULL,
    problem text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT suppression_channel_check CHECK ((channel = ANY (ARRAY['SMS'::text, 'EMAIL'::text, 'WHATSAPP'::text]))),
    CONSTRAINT suppression_reason_check CHECK ((reason = ANY (ARRAY['STOPPED'::text, 'BOUNCED'::text]))),
    CONSTRAINT suppression_pkey PRIMARY KEY (channel, recipient)
);

CREATE TABLE teacher_absence (
    employee_id uuid NOT NULL,
    date date NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT teacher_absence_pkey PRIMARY KEY (date, employee_id),
    CONSTRAINT teacher_absence_employee_fkey FOREIGN KEY (employee_id) REFERENCES employee(id) ON DELETE CASCADE
);
CREATE INDEX teacher_absence_employee_idx ON teacher_absence USING btree (employee_id);

CREATE TABLE teacher_assignment (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    academic_year_id uuid,
    class_id uuid NOT NULL,
    division_id uuid,
    subject_id uuid,
    is_class_teacher boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_by uuid,
    updated_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT teacher_assignment_pkey PRIMARY KEY (id),
    CONSTRAINT teacher_assignment_class_fkey FOREIGN KEY (class_id) REFERENCES class(id),
    CONSTRAINT teacher_assignment_division_fkey FOREIGN KEY (division_id) REFERENCES division(id),
    CONSTRAINT teacher_assignment_subject_fkey FOREIGN KEY (subject_id) REFERENCES subject(id),
    CONSTRAINT teacher_assignment_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
    CONSTRAINT teacher_assignment_year_fkey FOREIGN KEY (academic_year_id) REFERENCES academic_year(id)
);
CREATE UNIQUE INDEX teacher_assignment_class_teacher_key ON teacher_assignment USING btree (academic_year_id, division_id) NULLS NOT DISTINCT WHERE is_class_teacher;
CREATE INDEX teacher_assignment_division_idx ON teacher_assignment USING btree (division_id);
CREATE UNIQUE INDEX teacher_assignment_key ON teacher_assignment USING btree (user_id, academic_year_id, class_id, division_id, subject_id) NULLS NOT DISTINCT;

CREATE TABLE thread_participant (
    thread_id uuid NOT NULL,
    user_id uuid NOT NULL,
    read_at timestamp with time zone,
    CONSTRAINT thread_participant_pkey PRIMARY KEY (thread_id, user_id),
    CONSTRAINT thread_participant_thread_fkey FOREIGN KEY (thread_id) REFERENCES thread(id) ON DELETE CASCADE,
    CONSTRAINT thread_participant_user_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX thread_participant_user_idx ON thread_participant USING btree (user_id, thread_id);

CREATE TABLE trip_stop (
    trip_id uuid NOT NULL,
    stop_id uuid NOT NULL,
    near_at timestamp with time zone,
    arrived_at timestamp with time zone,
    departed_at timestamp with time zone,
    CONSTRAINT trip_stop_pkey PRIMARY KEY (trip_id, stop_id),
    CONSTRAINT trip_stop_stop_fkey FOREIGN KEY (stop_id) REFERENCES stop(id),
    CONSTRAINT trip_stop_trip_fkey FOREIGN KEY (trip_id) REFERENCES trip(id) ON DELETE CASCADE
);

CREATE TABLE webhook (
    id uuid NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    kinds jsonb NOT NULL,
    status text NOT NULL,
    failing_since timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    paused_until timestamp with time zone,
    last_error text DEFAULT ''::text NOT NULL,
    delivered_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by uuid,
    updated_by uuid,
    CONSTRAINT webhook_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'OFF'::text, 'SUSPENDED'::text]))),
    CONSTRAINT webhook_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX webhook_name_key ON webhook USING btree (lower(name));

CREATE TABLE webhook_delivery (
    id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    record_type text NOT NULL,
    record_id uuid NOT NULL,
    record_version integer,
    action text DEFAULT ''::text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    queued_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    state text DEFAULT 'QUEUED'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    first_tried_at timestamp with time zone,
    next_at timestamp with time zone NOT NULL,
    last_status integer,
    last_error text DEFAULT ''::text NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT webhook_delivery_state_check CHECK ((state = ANY (ARRAY['QUEUED'::text, 'SENT'::text, 'FAILED'::text]))),
    CONSTRAINT webhook_delivery_once UNIQUE (webhook_id, event_id),
    CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_delivery_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_log_idx ON webhook_delivery USING btree (occurred_at DESC, id DESC);
CREATE INDEX webhook_delivery_queue_idx ON webhook_delivery USING btree (queued_at, id) WHERE (state = 'QUEUED'::text);
CREATE INDEX webhook_delivery_queued_idx ON webhook_delivery USING btree (queued_at);
CREATE INDEX webhook_delivery_record_idx ON webhook_delivery USING btree (webhook_id, record_id, queued_at, id) WHERE (state = 'QUEUED'::text);

CREATE TABLE weekend (
    from_date date NOT NULL,
    days smallint[] NOT NULL,
    CONSTRAINT weekend_days_check CHECK ((days <@ '{0,1,2,3,4,5,6}'::smallint[])),
    CONSTRAINT weekend_pkey PRIMARY KEY (from_date)
);

CREATE TABLE whatsapp_day (
    day date NOT NULL,
    messages integer NOT NULL,
    CONSTRAINT whatsapp_day_pkey PRIMARY KEY (day)
);

CREATE TABLE year_plan (
    to_year_id uuid NOT NULL,
    from_year_id uuid NOT NULL,
    state text DEFAULT 'READY'::text NOT NULL,
    plan_hash text NOT NULL,
    choices jsonb NOT NULL,
    parts jsonb NOT NULL,
    made jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    done_at timestamp with time zone,
    CONSTRAINT year_plan_state_check CHECK ((state = ANY (ARRAY['READY'::text, 'DONE'::text]))),
    CONSTRAINT year_plan_pkey PRIMARY KEY (to_year_id),
    CONSTRAINT year_plan_from_year_fkey FOREIGN KEY (from_year_id) REFERENCES academic_year(id),
    CONSTRAINT year_plan_to_year_fkey FOREIGN KEY (to_year_id) REFERENCES academic_year(id)
);

COMMENT ON COLUMN delivery.due_at IS 'When it was first to be sent: what next_at was at the first try. NULL: it was not tried yet.';

COMMENT ON COLUMN delivery.overdue_at IS 'When the next way was looked for, since no provider had taken it in time.';

COMMENT ON TABLE delivery_setting IS 'moved into school_setting';

COMMENT ON COLUMN notification.batch_id IS 'The act that told many of it; NULL: it told of this alone.';

INSERT INTO delivery_setting VALUES (true, NULL, NULL, 0, 2000, 1, NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000001', 'CASH', 'Cash', 'CASH', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000002', 'BANK', 'Bank', 'BANK', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000003', 'CONCESSION', 'Concessions', 'CONCESSION', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000004', 'FINE', 'Fines', 'FINE', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000005', 'LIBRARY', 'Library', 'INCOME', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000006', 'TRANSPORT', 'Transport', 'INCOME', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000007', 'EXAM', 'Examinations', 'INCOME', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000008', 'OTHER', 'Other fees', 'INCOME', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000021', 'WRITE_OFF', 'Written off', 'EXPENSE', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000022', 'CASH_DIFFERENCE', 'Cash differences', 'EXPENSE', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000031', 'OPENING', 'Opening balances', 'OPENING', NULL, now());

INSERT INTO ledger_account VALUES ('00000000-0000-4000-8000-000000000023', 'CLEARING', 'Cheques in clearing', 'CLEARING', NULL, now());

INSERT INTO notice_rule VALUES ('URGENT', '{PUSH,SMS}', NULL, false, false);

INSERT INTO notice_rule VALUES ('ATTENDANCE', '{PUSH,SMS}', NULL, true, false);

INSERT INTO notice_rule VALUES ('TRANSPORT', '{PUSH,SMS}', NULL, true, false);

INSERT INTO notice_rule VALUES ('ANNOUNCEMENT', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('RESULT', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('FEE', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('LEAVE_REQUEST', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('MESSAGE', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('TIMETABLE', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('EXAM', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('EVENT', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO notice_rule VALUES ('LIBRARY', '{PUSH,EMAIL}', NULL, true, true);

INSERT INTO notice_rule VALUES ('DIGEST', '{PUSH,EMAIL}', NULL, true, false);

INSERT INTO school_setting VALUES (true, false, '', 2, 1, NULL, now(), '{year}-{0000}', 0, 'Dear parent, {amount} is outstanding for {student}, due on {dueDate}. Please pay at your earliest convenience.', NULL, 3, 14, 1, 10, 30, 2, 0, 0, 0, NULL, NULL, '', '', '', '', '', '', '', '', '', NULL, 1, NULL, 7, 'NONE', 0, 0, 0, '21:00:00', '07:00:00', 0, 2000, false, 'SUBJECTS', 0, 0, 1, 0, 'SKIP', 'MONTHS', 1, 'SIMPLE', 'SIMPLE', 0, 'DAY', 'ALL', 0, 'CHILD', false, 0, '18:00:00', 2000);

ALTER TABLE attendance
    ADD CONSTRAINT attendance_source_check CHECK ((source = ANY (ARRAY['TEACHER'::text, 'ADMIN'::text, 'LEAVE'::text, 'LESSON'::text]))) NOT VALID;

CREATE TRIGGER fee_fine_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON fee_fine FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();

CREATE TRIGGER fee_invoice_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON fee_invoice FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();

CREATE TRIGGER fee_receipt_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON fee_receipt FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();

CREATE TRIGGER fee_receipt_words BEFORE UPDATE ON fee_receipt FOR EACH ROW EXECUTE FUNCTION ledger_words_only();

CREATE TRIGGER forget_secrets BEFORE UPDATE OF phone, email ON app_user FOR EACH ROW EXECUTE FUNCTION forget_secrets();

CREATE CONSTRAINT TRIGGER ledger_entry_balances AFTER INSERT ON ledger_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_balances();

CREATE TRIGGER ledger_entry_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();

CREATE TRIGGER ledger_transaction_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_transaction FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();

CREATE TRIGGER ledger_transaction_words BEFORE UPDATE ON ledger_transaction FOR EACH ROW EXECUTE FUNCTION ledger_words_only();

REVOKE ALL ON FUNCTION erase_from_books(ids uuid[], words text[], neutral text) FROM PUBLIC;

GRANT ALL ON FUNCTION erase_from_books(ids uuid[], words text[], neutral text) TO :school_role;

REVOKE ALL ON FUNCTION erase_sealed_rows(ids uuid[], records text[], marks text[], pattern text, needle text, neutral text) FROM PUBLIC;

GRANT ALL ON FUNCTION erase_sealed_rows(ids uuid[], records text[], marks text[], pattern text, needle text, neutral text) TO :school_role;

GRANT UPDATE(purpose) ON TABLE certificate TO :school_role;

GRANT UPDATE(snapshot) ON TABLE certificate TO :school_role;

GRANT UPDATE(reason) ON TABLE fee_day_closing TO :school_role;

GRANT UPDATE(reference_number) ON TABLE fee_refund TO :school_role;

GRANT UPDATE(reason) ON TABLE fee_refund TO :school_role;

GRANT UPDATE(code) ON TABLE ledger_account TO :school_role;

GRANT UPDATE(name) ON TABLE ledger_account TO :school_role;
