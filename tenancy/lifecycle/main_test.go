package lifecycle_test

import (
	"context"
	"encoding/json"
	"testing"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
)

func TestMain(m *testing.M) { clusters.Main(m, provisionAsChild) }

// provisionAsChild provisions the child's school, or one from the queue.
func provisionAsChild(ctx context.Context, c clusters.Child, cluster *tenancy.Cluster) error {
	p := provisioner(cluster, func(step string) { c.At(step + " inside") })
	p.Stepped = c.Stepped
	if !c.Jobs {
		return p.Run(ctx, c.School)
	}
	jobs, err := lifecycle.NewJobs(cluster, lifecycle.JobsOptions{Provisioner: p, Migrator: lifecycle.NewMigrator(cluster)})
	if err != nil {
		return err
	}
	if err := jobs.Start(ctx); err != nil {
		return err
	}
	select {}
}

// provisioner has two steps like the real ones: rights, and the first administrator.
func provisioner(c *tenancy.Cluster, inside func(step string)) *lifecycle.Provisioner {
	write := func(name, sql string) lifecycle.Step {
		return lifecycle.Step{Name: name, Run: func(ctx context.Context, s *tenancy.School, admin json.RawMessage) error {
			db, err := c.School(ctx, s, tenancy.ReadWrite)
			if err != nil {
				return err
			}
			var asked struct{ Name string }
			if err := json.Unmarshal(admin, &asked); err != nil {
				return err
			}
			if err := db.Exec(sql, asked.Name).Error; err != nil {
				return err
			}
			inside(name)
			return nil
		}}
	}
	return lifecycle.NewProvisioner(c,
		write("roles", `insert into role (id, name, type, system)
			values (gen_random_uuid(), 'Admin ' || left(?, 0), 'SCHOOL_ADMIN', true) on conflict do nothing`),
		write("admin", `insert into app_user (id, role_id, email) select gen_random_uuid(), id, ? from role on conflict do nothing`),
	)
}
