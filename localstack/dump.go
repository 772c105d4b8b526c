//go:build unix

package localstack

import (
	"fmt"
	"path/filepath"
)

// Dump returns what the server's pg_dump writes of a schema of the database, its rows included.
func (s *Stack) Dump(server, url, schema string) (string, error) {
	p := s.postgres[server]
	said, err := p.account.output(filepath.Join(filepath.Dir(p.programs.initdb), "pg_dump"), "--dbname", url, "--schema", schema,
		"--no-owner", "--inserts")
	if err != nil {
		return "", fmt.Errorf("pg_dump: %w\n%s", err, said)
	}
	return said + "\n", nil
}
