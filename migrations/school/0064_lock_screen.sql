-- What a push may say on a locked screen: nothing, that it is about a child, or what happened.
ALTER TABLE school_setting ADD COLUMN lock_screen text NOT NULL DEFAULT 'CHILD'
    CONSTRAINT school_setting_lock_screen_check CHECK (lock_screen IN ('NOTHING', 'CHILD', 'FULL'));
