//go:build unix

package localstack

// WithoutInstallations runs f as on a machine where nothing is installed outside of PATH.
func WithoutInstallations(f func()) {
	postgres, redis := postgresFolders, redisFolders
	defer func() { postgresFolders, redisFolders = postgres, redis }()
	postgresFolders, redisFolders = []string{"/nowhere/postgresql/*/bin"}, []string{"/nowhere/bin"}
	f()
}

// EndServer is what the reaper does to a server's folder.
var EndServer = endServer
