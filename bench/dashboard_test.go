package main

import "testing"

func TestDashboardRows_AreNoneOfTheService(t *testing.T) {
	t.Parallel()
	rows := dashboardRows()
	if len(rows) != 1 || rows[0].Path != dashboardAnew {
		t.Errorf("%d rows, the first %s", len(rows), rows[0].Path)
	}
}
