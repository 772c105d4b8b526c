package api

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

type guardianInput struct {
	Name  string `json:"name" validate:"required,notblank,max=80"`
	Phone string `json:"phone" validate:"required,e164"`
}

type studentFields struct {
	FirstName string          `json:"firstName" validate:"required,notblank,max=80" doc:"Given name." example:"Asha"`
	LastName  string          `json:"lastName" validate:"omitempty,max=80"`
	Gender    string          `json:"gender" validate:"omitempty,oneof=FEMALE MALE OTHER"`
	BornOn    Date            `json:"bornOn" validate:"required"`
	ClassID   uuid.UUID       `json:"classId" validate:"required"`
	Guardians []guardianInput `json:"guardians" validate:"required,min=1,max=4,unique,dive"`
}

type changeStudent struct {
	ID uuid.UUID `path:"id"`
	Change[studentFields]
}

type oneStudent struct {
	ID uuid.UUID `path:"id"`
}

type studentView struct {
	Record
	FirstName string     `json:"firstName" doc:"Given name." example:"Asha"`
	LastName  string     `json:"lastName"`
	ClassID   uuid.UUID  `json:"classId"`
	LeftAt    *time.Time `json:"leftAt"`
	House     *houseView `json:"house"`
	Tags      []string   `json:"tags,omitempty"`
}

type houseView struct {
	Name string `json:"name"`
}

type reportRequest struct {
	DivisionID uuid.UUID `json:"divisionId" validate:"required" doc:"Which division."`
	Days       int       `json:"days" validate:"omitempty,min=1,max=31"`
	Statuses   []string  `json:"statuses" validate:"omitempty,dive,oneof=PRESENT ABSENT"`
}

type reportView struct {
	Present map[string]int `json:"present"`
}

type paymentRequest struct {
	Amount   int64  `json:"amount" validate:"required,gt=0" doc:"Minor units." example:"125000"`
	Currency string `json:"currency" validate:"required,currency"`
}

type signInRequest struct {
	Email    string `json:"email" validate:"required,email,max=254"`
	Password string `json:"password" validate:"required,max=200"`
}

type signInView struct {
	AccessToken string       `json:"accessToken"`
	User        signedInView `json:"user"`
}

type signedInView struct {
	ID   uuid.UUID `json:"id"`
	Role RoleType  `json:"role"`
}

func (s signInView) Flatten() map[string]any {
	return map[string]any{"accessToken": s.AccessToken, "user": s.User}
}

// answering makes a handler that needs nothing.
func answering[Req, Resp any]() func(Ctx, Req) (Resp, error) {
	return func(Ctx, Req) (Resp, error) { return *new(Resp), nil }
}

// sampleRows are one row of every kind.
func sampleRows() []Row {
	listing := Listing{
		Default: "-createdAt",
		Sorts:   map[string]string{"createdAt": "created_at", "firstName": "first_name"},
		Filters: map[string]Filter{
			"classId": ByID("class_id"), "search": Search("first_name", "last_name"), "gender": ByEnum("gender", "FEMALE", "MALE"),
			"active": ByBool("active"), "bornAfter": ByDate("born_on", ">="), "roll": ByInt("roll"),
		},
	}
	return Rows(
		Open("POST", "/auth/login", "Sign in to the web console with e-mail and password", Write,
			func(OpenCtx, signInRequest) (signInView, error) { return signInView{AccessToken: "a-token"}, nil },
			Says("Signed in"), Counted, MayFail(Unauthorized("The e-mail or the password is wrong"))),
		Open("POST", "/auth/logout", "End this session", Write,
			func(OpenCtx, Nothing) (Nothing, error) { return Nothing{}, nil }, Bearer),
		Create("/school-admin/student/create", "student", "Add a student", answering[studentFields, studentView](), Says("Student added")),
		List("/school-admin/student/list", "student", "Students of the school", listing, answering[ListRequest, Page[studentView]]()),
		Get("/school-admin/student/:id", "student", "One student", answering[oneStudent, studentView]()),
		Put("/school-admin/student/:id", "student", "Change a student", answering[changeStudent, studentView](), Versioned, Says("Student changed")),
		Remove("/school-admin/student/:id", "student", "Remove a student", func(Ctx, oneStudent) error { return nil }),
		Get("/school-admin/attendance/report", "attendance", "Attendance of a month", answering[reportRequest, reportView]()),
		Post("/school-admin/fee/collection/record", "fee", "Record a payment", answering[paymentRequest, Nothing](), Idempotent),
		Create("/teacher/student/create", "student", "Add a student to your class", answering[studentFields, studentView]()),
		Get("/bus-tracking/bus/:busId/live", "transport", "Where a bus is", answering[struct {
			BusID uuid.UUID `path:"busId"`
		}, struct {
			Lat float64 `json:"lat"`
		}](), AnyRole),
		PlatformRow("POST", "/super-admin/school/create", "Add a school", Write, 201,
			func(PlatformCtx, struct {
				Name string `json:"name" validate:"required"`
				Zone string `json:"timezone" validate:"required,timezone"`
			}) (Nothing, error) {
				return Nothing{}, nil
			}),
	)
}

func kernelOf(t *testing.T, rows ...Row) *Kernel {
	t.Helper()
	k, err := newKernel(rows...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sampleModule has the permissions that sample rows name; everybody may read.
func sampleModule() Module {
	m := Module{Name: "sample", Personal: NoTables}
	for _, p := range [][2]string{{"student", "Students"}, {"class", "Classes"}, {"exam", "Exams"}, {"attendance", "Attendance"}, {"fee", "Fees"}, {"transport", "Transport"}, {"report", "Reports"}} {
		m.Permissions = append(m.Permissions, Permission{Key: p[0], Title: p[1], Teacher: "r", Parent: "r", Driver: "r"})
	}
	return m
}

func newKernel(rows ...Row) (*Kernel, error) {
	return New(Parts{Modules: []Module{sampleModule()}, ExtraRows: rows, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Metrics: NewMetrics(prometheus.NewRegistry())})
}
