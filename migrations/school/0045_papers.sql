-- How a school's report cards and leaving certificates are laid out.
ALTER TABLE school_setting
    ADD COLUMN report_card_template         text NOT NULL DEFAULT 'SIMPLE' CHECK (report_card_template IN ('SIMPLE', 'CBSE', 'BRITISH')),
    ADD COLUMN leaving_certificate_template text NOT NULL DEFAULT 'SIMPLE' CHECK (leaving_certificate_template IN ('SIMPLE', 'CBSE', 'BRITISH'));
