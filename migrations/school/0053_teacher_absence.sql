-- Teachers who are away without leave on a day.
CREATE TABLE teacher_absence (
    employee_id uuid NOT NULL CONSTRAINT teacher_absence_employee_fkey REFERENCES employee (id) ON DELETE CASCADE,
    date        date NOT NULL,
    created_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (date, employee_id)
);
CREATE INDEX teacher_absence_employee_idx ON teacher_absence (employee_id);
