package main

import (
	"fmt"
	"strings"

	"homeroom/migrations"
)

// tables is how many a finished school has at least; what the migrations do not
// make yet is made up.
const tables = 48

const studentTable = `
CREATE TABLE bench_student (
    id            uuid PRIMARY KEY,
    admission_no  text NOT NULL UNIQUE,
    roll_no       int NOT NULL,
    first_name    text NOT NULL,
    middle_name   text NOT NULL DEFAULT '',
    last_name     text NOT NULL,
    gender        text NOT NULL CHECK (gender IN ('FEMALE', 'MALE', 'OTHER')),
    birth_date    date NOT NULL,
    blood_group   text NOT NULL DEFAULT '',
    nationality   text NOT NULL DEFAULT '',
    mother_tongue text NOT NULL DEFAULT '',
    address       text NOT NULL DEFAULT '',
    city          text NOT NULL DEFAULT '',
    postal_code   text NOT NULL DEFAULT '',
    phone         text NOT NULL DEFAULT '',
    email         text NOT NULL DEFAULT '',
    class_id      uuid NOT NULL,
    admitted_on   date NOT NULL,
    photo_file_id uuid,
    status        text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'LEFT')),
    version       int NOT NULL DEFAULT 1,
    created_by    uuid,
    updated_by    uuid,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bench_student_name_idx ON bench_student (last_name, id);
CREATE INDEX bench_student_class_idx ON bench_student (class_id);
`

// fillStudents gives every school the same ids, so that pgbench can make them up;
// the city says whose they are.
const fillStudents = `
insert into bench_student (id, admission_no, roll_no, first_name, last_name, gender, birth_date, blood_group, nationality, mother_tongue,
	address, city, postal_code, phone, email, class_id, admitted_on, created_by, updated_by)
select lpad(i::text, 32, '0')::uuid, 'A-' || i, i % 40 + 1, 'First' || i::bigint * 7919 % 1009, 'Last' || i::bigint * 104729 % 1013,
	case i % 2 when 0 then 'FEMALE' else 'MALE' end, date '2012-01-01' + i % 2000, 'O+', 'Indian', 'Marathi',
	i || ', Station Road, near the old market', $1, '4110' || i % 90 + 10, '+9198' || lpad(i::text, 8, '0'),
		'guardian' || i || '@example.org',
	lpad((i % 30)::text, 32, '0')::uuid, date '2024-06-01' - i % 1500, lpad('1', 32, '0')::uuid, lpad('1', 32, '0')::uuid
from generate_series(1, $2::int) i`

// schoolMigrations are the product's, the student's table, the made-up tables, and
// as many further ones as the migration part has added so far.
func schoolMigrations(added int) []migrations.Migration {
	ms := migrations.School()
	add := func(name, sql string) {
		ms = append(ms, migrations.Migration{Version: migrations.Latest(ms) + 1, Name: name, SQL: sql})
	}
	add("bench_student", studentTable)
	add("bench_padding", padding(ms))
	for i := range added {
		add(fmt.Sprintf("bench_column_%d", i+1), addColumn("bench_student", fmt.Sprintf("ours_%d", i+1)))
	}
	return ms
}

func addColumn(table, column string) string {
	return fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s text", table, column)
}

func padding(ms []migrations.Migration) string {
	have := 0
	for _, m := range ms {
		have += strings.Count(m.SQL, "CREATE TABLE")
	}
	var sql strings.Builder
	for i := have; i < tables; i++ {
		fmt.Fprintf(&sql, `
CREATE TABLE bench_thing_%02[1]d (
    id         uuid PRIMARY KEY,
    class_id   uuid REFERENCES class (id),
    name       text NOT NULL,
    amount     bigint NOT NULL DEFAULT 0,
    version    int NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bench_thing_%02[1]d_name_idx ON bench_thing_%02[1]d (lower(name));
CREATE INDEX bench_thing_%02[1]d_class_idx ON bench_thing_%02[1]d (class_id);
`, i)
	}
	return sql.String()
}
