-- What a student who joins during the year pays for, and to which unit, in minor units, its price is rounded.
ALTER TABLE school_setting
    ADD COLUMN pro_rata_by  text NOT NULL DEFAULT 'MONTHS' CHECK (pro_rata_by IN ('MONTHS', 'DAYS')),
    ADD COLUMN fee_round_to bigint NOT NULL DEFAULT 1 CHECK (fee_round_to BETWEEN 1 AND 10000000);
