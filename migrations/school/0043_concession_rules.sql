-- Concessions that apply by themselves when an instalment is charged: to the second, third …
-- child of a family, and to children of employees. None for fee_head_id is all heads.
CREATE TABLE fee_rule (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('SIBLING', 'STAFF')),
    child       int NOT NULL DEFAULT 0, -- from which child of the family on; 0 for children of employees
    fee_head_id uuid CONSTRAINT fee_rule_head_fkey REFERENCES fee_head (id),
    percent     numeric(5, 2) NOT NULL CHECK (percent > 0 AND percent <= 100),
    version     int NOT NULL DEFAULT 1,
    created_by  uuid,
    updated_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT fee_rule_child_check CHECK (CASE kind WHEN 'SIBLING' THEN child BETWEEN 2 AND 20 ELSE child = 0 END)
);
CREATE UNIQUE INDEX fee_rule_key ON fee_rule (kind, child, coalesce(fee_head_id, '00000000-0000-0000-0000-000000000000'));
