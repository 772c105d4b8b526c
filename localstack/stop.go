//go:build unix

package localstack

// Stop stops every server that Start started or adopted, in any state. Data that is not durable is removed.
// On the shared servers it only lets go of them.
func (s *Stack) Stop() error {
	var err error
	s.stopped.Do(func() { err = s.stop() })
	return err
}

func (s *Stack) stop() error {
	defer s.lock.release()
	if s.shared {
		return nil
	}
	var stops []func() error
	for name, p := range s.postgres {
		_ = s.ThawPostgres(name) // its children hear nothing else
		stops = append(stops, p.stop)
	}
	if s.redis != nil {
		stops = append(stops, s.redis.stop)
	}
	if s.mini != nil {
		stops = append(stops, s.mini.stop)
	}
	if err := together(stops); err != nil || s.options.Durable {
		return err
	}
	for _, folder := range s.folders() {
		if err := removeStubborn(folder); err != nil {
			return err
		}
	}
	return removeFolder(s.dir, "lock")
}

func (s *Stack) folders() []string {
	var folders []string
	for _, p := range s.postgres {
		folders = append(folders, p.folder)
	}
	if s.redis != nil {
		folders = append(folders, s.redis.folder)
	}
	return folders
}
