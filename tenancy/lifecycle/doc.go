// Package lifecycle makes schools and nodes and keeps them: it sets up the platform and its nodes, provisions and restores
// schools, keeps spare schemas, migrates the fleet, and works off the queue of jobs that do so. It serves no request: what
// a request needs of a school is in tenancy, which does not know of this package.
//
// Begin with setup.go and setup_node.go (what an instance does when it starts), then provision.go (a new school), schema.go
// (its tables), migrator.go (the fleet) and jobs.go (who does it when).
package lifecycle
