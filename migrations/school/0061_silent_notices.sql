-- Notices about days long past, and those of imports, are kept in the log and not sent.
ALTER TABLE school_setting ADD COLUMN notice_past_days int NOT NULL DEFAULT 0
    CONSTRAINT school_setting_notice_past_days_check CHECK (notice_past_days BETWEEN 0 AND 366);
ALTER TABLE notice ADD COLUMN silent boolean NOT NULL DEFAULT false;
