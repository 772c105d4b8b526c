-- Whether the school's administrators must sign in with a second factor.
ALTER TABLE school_setting ADD COLUMN second_factor_required boolean NOT NULL DEFAULT false;
