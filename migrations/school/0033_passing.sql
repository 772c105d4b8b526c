-- Who passes a year, and how equals are ranked. A pass_percent of 0 goes by the papers' own pass marks.
ALTER TABLE school_setting
    ADD COLUMN pass_rule            text NOT NULL DEFAULT 'SUBJECTS' CHECK (pass_rule IN ('TOTAL', 'SUBJECTS', 'EXAMS')),
    ADD COLUMN pass_percent         int NOT NULL DEFAULT 0 CHECK (pass_percent BETWEEN 0 AND 100),
    ADD COLUMN grace_marks          int NOT NULL DEFAULT 0 CHECK (grace_marks BETWEEN 0 AND 100),
    ADD COLUMN grace_subjects       int NOT NULL DEFAULT 1 CHECK (grace_subjects BETWEEN 1 AND 50),
    ADD COLUMN compartment_subjects int NOT NULL DEFAULT 0 CHECK (compartment_subjects BETWEEN 0 AND 50),
    ADD COLUMN rank_ties            text NOT NULL DEFAULT 'SKIP' CHECK (rank_ties IN ('SKIP', 'DENSE'));
