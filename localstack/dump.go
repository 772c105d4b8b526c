//go:build unix

package localstack

// Dump returns what the server's pg_dump writes of a schema of the database, its rows included.
func (s *Stack) Dump(server, url, schema string) (string, error) {
	said, err := s.postgres[server].run("pg_dump", "--dbname", url, "--schema", schema, "--no-owner", "--inserts")
	return said + "\n", err
}
