-- How the school numbers its students: {year} and {yy} are the year of admission,
-- {0000} the running number, as wide as it has zeros.
ALTER TABLE school_setting ADD COLUMN admission_number_pattern text NOT NULL DEFAULT '{year}-{0000}'
    CONSTRAINT school_setting_admission_pattern_check CHECK (admission_number_pattern ~ '^[^{}]*(\{(year|yy)\}[^{}]*)*\{0{1,9}\}[^{}]*(\{(year|yy)\}[^{}]*)*$');

-- Who sits in a class, and who sat there in a year.
CREATE INDEX enrolment_class_idx ON enrolment (class_id, start_date);
CREATE INDEX enrolment_year_idx ON enrolment (academic_year_id);
