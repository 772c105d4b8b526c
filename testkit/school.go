package testkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/rbac"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// School is a school of a test's own.
type School struct {
	*tenancy.School
	App *App
}

// NewSchool makes a school on the shared instance.
func NewSchool(t testing.TB) *School {
	t.Helper()
	return Shared(t).NewSchool(t)
}

// NewSchool makes a school on this instance.
func (a *App) NewSchool(t testing.TB) *School {
	t.Helper()
	return a.NewSchoolAs(t, lifecycle.NewSchool{})
}

// NewSchoolAs makes a school with the fields of n; empty ones are filled in.
func (a *App) NewSchoolAs(t testing.TB, n lifecycle.NewSchool) *School {
	t.Helper()
	fill := func(v *string, d string) {
		if *v == "" {
			*v = d
		}
	}
	code := "t" + uuid.NewString()[:18]
	fill(&n.Code, code)
	fill(&n.Name, "School "+code)
	fill(&n.TimeZone, "Asia/Kolkata")
	fill(&n.Locale, "en-IN")
	fill(&n.Currency, "INR")
	if n.Admin == nil {
		n.Admin = json.RawMessage("{}")
	}
	ctx := context.Background()
	made, err := a.Service.Provisioner.Request(ctx, n)
	if err == nil {
		err = a.Service.Provisioner.Run(ctx, made.ID)
	}
	if err == nil {
		made, err = a.Service.Cluster.FindSchool(ctx, made.ID)
	}
	if err != nil {
		t.Fatalf("making a school: %v", err)
	}
	return &School{School: made, App: a}
}

// DB is the school's database, for looking at what a call left behind and for
// making what no endpoint makes.
func (s *School) DB(t testing.TB) *gorm.DB {
	t.Helper()
	db, err := s.App.Service.Cluster.School(context.Background(), s.School, tenancy.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// QuietHours sets the school's quiet hours, as "21:00" and "07:00". The schools of tests begin without any.
func (s *School) QuietHours(t testing.TB, from, to string) {
	t.Helper()
	s.exec(t, `update school_setting set quiet_from = ?::time, quiet_to = ?::time`, from, to)
}

// RunScheduled does a module's scheduled work at the school now.
func (s *School) RunScheduled(t testing.TB, name string) {
	t.Helper()
	if err := s.App.Service.RunScheduled(t.Context(), name, s.ID); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Count counts the rows of a table of the school.
func (s *School) Count(t testing.TB, table, where string, args ...any) int {
	t.Helper()
	var n int64
	if err := s.DB(t).Table(table).Where(where, args...).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// As signs a new user in, holding the school's system role of the type.
func (s *School) As(t testing.TB, role api.RoleType) *Client {
	t.Helper()
	return s.On(t, s.App, role)
}

// On is As, with the client calling another instance.
func (s *School) On(t testing.TB, a *App, role api.RoleType) *Client {
	t.Helper()
	id := api.NewID()
	phone := NewPhone()
	err := s.DB(t).Exec(`insert into app_user (id, role_id, first_name, phone) values (?, ?, 'Test', ?)`, id, rbac.RoleID(s.ID, role),
		phone).Error
	if err != nil {
		t.Fatalf("adding a user: %v", err)
	}
	return a.signIn(t, id, &s.ID, role, phone)
}

// Person is a user who has not signed in yet.
type Person struct {
	UserID uuid.UUID
	Phone  string
	Email  string
	Role   api.RoleType
}

// Add makes a user with an entry in the directory: they can sign in.
func (s *School) Add(t testing.TB, p Person) Person {
	t.Helper()
	if p.UserID == uuid.Nil {
		p.UserID = api.NewID()
	}
	if p.Phone == "" && p.Email == "" {
		p.Phone = NewPhone()
	}
	err := s.DB(t).Exec(`insert into app_user (id, role_id, first_name, phone, email) values (?, ?, 'Test', nullif(?, ''), nullif(?, ''))`,
		p.UserID, rbac.RoleID(s.ID, p.Role), p.Phone, p.Email).Error
	if err != nil {
		t.Fatalf("adding a user: %v", err)
	}
	if err := s.App.Service.Auth.Enter(context.Background(), s.ID, p.UserID, p.Role, p.Phone, p.Email); err != nil {
		t.Fatalf("adding a user: %v", err)
	}
	return p
}

// numbers are what only this process has.
var numbers struct {
	mu         sync.Mutex
	next, left int
}

const numbersReserved = 1000

// Unique is a number below 10^8 that no other test of this run has, in whichever process.
func Unique() int {
	numbers.mu.Lock()
	defer numbers.mu.Unlock()
	if numbers.left == 0 {
		numbers.next, numbers.left = takeTurn()*numbersReserved, numbersReserved
	}
	numbers.next, numbers.left = (numbers.next+1)%100_000_000, numbers.left-1
	return numbers.next
}

// NewPhone is an unused number, and unlike the one before: the factor has no divisor in common with 10^8, so
// that no two are the same. Numbers that tests write out begin with 98 or 97.
func NewPhone() string { return fmt.Sprintf("+9199%08d", Unique()*61_803_399%100_000_000) }

// NewPhones is the beginning of 10,000 unused numbers; four digits are missing.
func NewPhones() string { return fmt.Sprintf("+9196%04d", takeTurn()%10_000) }

// takeTurn is a number that no other process on this machine gets: each adds a byte to one
// file, and where it came to lie is the number.
func takeTurn() int {
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "homeroom-test-turns"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil { // another user's
		return rand.IntN(100_000)
	}
	defer func() { _ = f.Close() }()
	_, err = f.WriteString(".")
	at, seek := f.Seek(0, io.SeekCurrent)
	if err := errors.Join(err, seek); err != nil { // two processes with one number would be hard to find out
		panic(fmt.Sprintf("testkit: %s: %v", f.Name(), err))
	}
	return int(at)
}

// SuperAdmin signs a new cross-school administrator in.
func (a *App) SuperAdmin(t testing.TB) *Client {
	t.Helper()
	id := api.NewID()
	_, err := a.Service.Cluster.PlatformPool().Exec(context.Background(),
		`insert into platform.super_admin (id, email, password_hash) values ($1, $2, '')`, id, id.String()+"@test.local")
	if err != nil {
		t.Fatalf("adding a super-admin: %v", err)
	}
	return a.signIn(t, id, nil, api.SuperAdmin, "")
}

func (a *App) signIn(t testing.TB, user uuid.UUID, school *uuid.UUID, role api.RoleType, phone string) *Client {
	t.Helper()
	account, session := api.NewID(), api.NewID()
	pool := a.Service.Cluster.PlatformPool()
	// Their proof is fresh for as long as the session lives. The service may have entered them already:
	// it compares schools with its directory now and then.
	err := pool.QueryRow(context.Background(), `with made as (
			insert into platform.account (id, school_id, user_id, role_type, phone, phone_proven_at) values ($1, $2, $3, $4, nullif($5, ''), now())
			on conflict (user_id, school_id) do update set phone_proven_at = now() returning id)
		insert into platform.session (id, account_id, token_hash, expires_at, method, proven_phone, proven_by, proved_at)
			select $6, id, '', $7, case $5 when '' then 'PASSWORD' else 'OTP' end, $5, case $5 when '' then '' else 'CODE' end, $7
			from made returning account_id`,
		account, school, user, role, phone, session, a.Service.Kernel.Clock().Add(tokens.RefreshLife)).Scan(&account)
	if err != nil {
		t.Fatalf("signing in: %v", err)
	}
	claim := tokens.Access{UserID: user, SessionID: session, Role: role}
	if school != nil {
		claim.SchoolID = *school
	}
	sign := func() (string, error) { return a.Service.Tokens.SignAccess(claim) }
	token, err := sign()
	if err != nil {
		t.Fatal(err)
	}
	return &Client{app: a, Token: token, UserID: user, SessionID: session, AccountID: account,
		issued: &issued{sign: sign, first: token, token: token, at: time.Now()}}
}
