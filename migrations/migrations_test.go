package migrations_test

import (
	"testing"
	"testing/fstest"

	"homeroom/migrations"
)

func TestNumbersRiseByOne(t *testing.T) {
	t.Parallel()
	load := func(names ...string) ([]migrations.Migration, error) {
		files := fstest.MapFS{}
		for _, name := range names {
			files["school/"+name] = &fstest.MapFile{Data: []byte("select 1")}
		}
		return migrations.Load(files, "school")
	}
	ms, err := load("0001_a.sql", "0002_b.sql", "0003_c.sql")
	if err != nil || len(ms) != 3 || migrations.Latest(ms) != 3 {
		t.Errorf("%+v %v", ms, err)
	}
	for _, names := range [][]string{{"0001_a.sql", "0001_b.sql"}, {"a.sql"}, {"0000_a.sql"}, {"0001_a.sql", "0003_c.sql"}, {}} {
		if _, err := load(names...); err == nil {
			t.Errorf("%v is taken", names)
		}
	}
}
