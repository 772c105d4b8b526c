package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// keeper keeps a copy of a list of classes as the document says.
type keeper struct {
	client *testkit.Client
	next   string
	names  map[uuid.UUID]string
	came   map[uuid.UUID]int // how often each came since the copy was begun
	anew   int
}

type syncedClasses struct {
	api.Page[roster.Class]
	Sync *api.Sync
}

func keep(c *testkit.Client) *keeper {
	return &keeper{client: c, next: api.SinceStart, names: map[uuid.UUID]string{}, came: map[uuid.UUID]int{}}
}

// ask makes one call with two records to a page, and returns whether there is more.
func (k *keeper) ask(t *testing.T) bool {
	t.Helper()
	page := testkit.Get[syncedClasses](t, k.client, readPath+"?limit=2&updatedSince="+k.next)
	if page.Sync == nil {
		t.Fatal("the answer says nothing of how to go on")
	}
	if page.Sync.StartAnew {
		k.anew++
		clear(k.names)
	}
	for _, c := range page.Items {
		k.names[c.ID] = c.Name
		k.came[c.ID]++
	}
	for _, id := range page.Sync.Removed {
		delete(k.names, id)
	}
	k.next = page.Sync.Next
	return page.Sync.More
}

// catchUp asks until there is no more, and returns the names it has then.
func (k *keeper) catchUp(t *testing.T) string {
	t.Helper()
	clear(k.came)
	for k.ask(t) {
	}
	return k.has()
}

func (k *keeper) has() string { return strings.Join(slices.Sorted(maps.Values(k.names)), " ") }

func TestSync_ListChangesWhileItIsRead_NothingComesTwiceOrIsLeftOut(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	addClasses(t, s, "A", "B", "C", "D", "E")
	k := keep(admin)
	if !k.ask(t) {
		t.Fatal("two of five are all")
	}
	addClasses(t, s, "0") // in front of what was read
	var d roster.Class
	for _, c := range testkit.Get[api.Page[roster.Class]](t, admin, readPath).Items {
		if c.Name == "D" {
			d = c
		}
	}
	admin.Call(t, "DELETE", "/school-admin/class/"+d.ID.String(), nil)
	for k.ask(t) {
	}
	if got := k.has(); got != "A B C E" {
		t.Errorf("read as it was begun, the list is %q, want what was there and still is", got)
	}
	for id, n := range k.came {
		if n != 1 {
			t.Errorf("%s came %d times", k.names[id], n)
		}
	}
	if got := k.catchUp(t); got != "0 A B C E" || len(k.came) != 1 {
		t.Errorf("then it is %q, by %d records, want the new one", got, len(k.came))
	}

	before := k.next
	if k.catchUp(t); len(k.came) != 0 || k.next != before {
		t.Errorf("where nothing is new %d records came, and next is another", len(k.came))
	}
	for id, name := range k.names {
		if name == "B" {
			testkit.Put[roster.Class](t, admin, "/school-admin/class/"+id.String(), map[string]any{"name": "Bee"})
		}
		if name == "C" {
			admin.Call(t, "DELETE", "/school-admin/class/"+id.String(), nil)
		}
	}
	lost := *k
	lost.names = maps.Clone(k.names)
	lost.catchUp(t) // an answer that does not arrive
	if got := k.catchUp(t); got != "0 A Bee E" || len(k.came) != 1 || k.anew != 1 {
		t.Errorf("after a change and a removal: %q, %d came, begun %d times", got, len(k.came), k.anew)
	}
	if n := s.Count(t, "list_copy", "user_id = ?", admin.UserID); n > 3 {
		t.Errorf("%d copies are kept, want what is still needed", n)
	}
}

// A commit's place in time is not that of its stamps, nor of its number.
func TestSync_CommitAfterALaterOne_IsFoundByTheNextCall(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	k := keep(s.As(t, api.SchoolAdmin))
	addClasses(t, s, "Old")
	tx := s.DB(t).Begin()
	defer tx.Rollback()
	if err := tx.Exec(`update class set name = 'Slow', updated_at = now() - interval '1 hour'`).Error; err != nil {
		t.Fatal(err)
	}
	addClasses(t, s, "Quick")
	if got := k.catchUp(t); got != "Old Quick" {
		t.Errorf("before the commit: %q", got)
	}
	if err := tx.Commit().Error; err != nil {
		t.Fatal(err)
	}
	if got := k.catchUp(t); got != "Quick Slow" || len(k.came) != 1 {
		t.Errorf("after it: %q, by %d records", got, len(k.came))
	}
}

func TestSync_GuardianLosesAChild_ItIsRemovedForThemAlone(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	child := s.Child(t, s.Seat(t, "5"), 2)
	type answer struct {
		Students []struct{ ID uuid.UUID }
		Total    int
		Sync     api.Sync
	}
	ask := func(c *testkit.Client, next string) answer {
		t.Helper()
		return testkit.Post[answer](t, c, "/parent/student/list", map[string]any{"updatedSince": next})
	}
	mother, father := child.Parents[0], child.Parents[1]
	hers, his := ask(mother, api.SinceStart), ask(father, api.SinceStart)
	if len(hers.Students) != 1 || !hers.Sync.StartAnew || len(his.Students) != 1 {
		t.Fatalf("they begin with %+v and %+v", hers, his)
	}
	if foreign := ask(mother, his.Sync.Next); !foreign.Sync.StartAnew || len(foreign.Students) != 1 {
		t.Errorf("with another's next one gets %+v, want the whole list", foreign)
	}
	if err := s.DB(t).Exec(`delete from student_guardian where guardian_id in (select id from guardian where user_id = ?)`,
		father.UserID).Error; err != nil {
		t.Fatal(err)
	}
	his, hers = ask(father, his.Sync.Next), ask(mother, hers.Sync.Next)
	if len(his.Students) != 0 || len(his.Sync.Removed) != 1 || his.Sync.Removed[0] != child.ID {
		t.Errorf("who lost the child is answered %+v", his)
	}
	if len(hers.Students)+len(hers.Sync.Removed) != 0 {
		t.Errorf("who did not, %+v", hers)
	}
}

func TestSync_UnknownNext_IsRefusedOrStartsAnew(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	addClasses(t, s, "A", "B", "C")
	k := keep(admin)
	k.catchUp(t)
	for query, field := range map[string]string{
		"updatedSince=2026-11-18T08:00:00Z": "updatedSince", "updatedSince=": "updatedSince", "updatedSince=AAAA": "updatedSince",
		"updatedSince=start&page=2": "page", "updatedSince=start&format=csv": "updatedSince",
	} {
		if f := admin.Refuses(t, "GET", readPath+"?"+query, nil, 422, ""); fieldsOf(f.Details) != field {
			t.Errorf("%s: details name %v", query, f.Details)
		}
	}
	admin.Refuses(t, "GET", "/school-admin/class/"+uuid.NewString()+"?updatedSince=start", nil, 422, "")
	other := testkit.Get[syncedClasses](t, admin, readPath+"?filters[search]=a&updatedSince="+k.next)
	if !other.Sync.StartAnew || other.Total != 1 {
		t.Errorf("another filter is another list: %+v", other)
	}
	old := time.Now().Add(-(api.SyncDays + 1) * 24 * time.Hour)
	if err := s.DB(t).Exec(`update list_copy set used_at = ?`, old).Error; err != nil {
		t.Fatal(err)
	}
	s.RunScheduled(t, "clear-schools")
	if got := k.catchUp(t); k.anew != 2 || got != "A B C" {
		t.Errorf("after a month the list is %q, begun %d times, want all of it again", got, k.anew)
	}
	for range 22 { // as many devices
		keep(admin).catchUp(t)
	}
	if n := s.Count(t, "list_copy", "user_id = ?", admin.UserID); n > 20 {
		t.Errorf("%d copies are kept for one user", n)
	}
}
