package openapi

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"homeroom/api"
)

type guardianInput struct {
	Name  string `json:"name" validate:"required,notblank,max=80"`
	Phone string `json:"phone" validate:"required,e164"`
}

type studentFields struct {
	FirstName string          `json:"firstName" validate:"required,notblank,max=80" doc:"Given name." example:"Asha"`
	LastName  string          `json:"lastName" validate:"omitempty,max=80"`
	Gender    string          `json:"gender" validate:"omitempty,oneof=FEMALE MALE OTHER"`
	BornOn    api.Date        `json:"bornOn" validate:"required"`
	ClassID   uuid.UUID       `json:"classId" validate:"required"`
	Guardians []guardianInput `json:"guardians" validate:"required,min=1,max=4,unique,dive"`
}

type changeStudent struct {
	ID uuid.UUID `path:"id"`
	api.Change[studentFields]
}

type oneStudent struct {
	ID uuid.UUID `path:"id"`
}

type studentView struct {
	api.Record
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
	ID   uuid.UUID    `json:"id"`
	Role api.RoleType `json:"role"`
}

func (s signInView) Flatten() map[string]any {
	return map[string]any{"accessToken": s.AccessToken, "user": s.User}
}

// answering makes a handler that needs nothing.
func answering[Req, Resp any]() func(api.Ctx, Req) (Resp, error) {
	return func(api.Ctx, Req) (Resp, error) { return *new(Resp), nil }
}

// sampleRows are one row of every kind.
func sampleRows() []api.Row {
	listing := api.Listing{
		Default: "-createdAt",
		Sorts:   map[string]string{"createdAt": "created_at", "firstName": "first_name"},
		Filters: map[string]api.Filter{
			"classId": api.ByID("class_id"), "search": api.Search("first_name", "last_name"), "gender": api.ByEnum("gender", "FEMALE", "MALE"),
			"active": api.ByBool("active"), "bornAfter": api.ByDate("born_on", ">="), "roll": api.ByInt("roll"),
		},
	}
	return api.Rows(
		api.Open("POST", "/auth/login", "Sign in to the web console with e-mail and password", api.Write,
			func(api.OpenCtx, signInRequest) (signInView, error) { return signInView{AccessToken: "a-token"}, nil },
			api.Says("Signed in"), api.Counted, api.MayFail(api.Unauthorized("The e-mail or the password is wrong"))),
		api.Open("POST", "/auth/logout", "End this session", api.Write,
			func(api.OpenCtx, api.Nothing) (api.Nothing, error) { return api.Nothing{}, nil }, api.Bearer),
		api.Create("/school-admin/student/create", "student", "Add a student", answering[studentFields, studentView](),
			api.Says("Student added")),
		api.List("/school-admin/student/list", "student", "Students of the school", listing,
			answering[api.ListRequest, api.Page[studentView]]()),
		api.Get("/school-admin/student/:id", "student", "One student", answering[oneStudent, studentView]()),
		api.Put("/school-admin/student/:id", "student", "Change a student", answering[changeStudent, studentView](), api.Versioned,
			api.Says("Student changed")),
		api.Remove("/school-admin/student/:id", "student", "Remove a student", func(api.Ctx, oneStudent) error { return nil }),
		api.Get("/school-admin/attendance/report", "attendance", "Attendance of a month", answering[reportRequest, reportView]()),
		api.Post("/school-admin/fee/collection/record", "fee", "Record a payment", answering[paymentRequest, api.Nothing](), api.Idempotent),
		api.Create("/teacher/student/create", "student", "Add a student to your class", answering[studentFields, studentView]()),
		api.Get("/bus-tracking/bus/:busId/live", "transport", "Where a bus is", answering[struct {
			BusID uuid.UUID `path:"busId"`
		}, struct {
			Lat float64 `json:"lat"`
		}](), api.AnyRole),
		api.PlatformRow("POST", "/super-admin/school/create", "Add a school", api.Write, 201,
			func(api.PlatformCtx, struct {
				Name string `json:"name" validate:"required"`
				Zone string `json:"timezone" validate:"required,timezone"`
			}) (api.Nothing, error) {
				return api.Nothing{}, nil
			}),
	)
}

func kernelOf(t *testing.T, rows ...api.Row) *api.Kernel {
	t.Helper()
	k, err := api.New(api.Parts{Modules: []api.Module{sampleModule()}, ExtraRows: rows, Log: slog.New(slog.DiscardHandler),
		Metrics: api.NewMetrics(prometheus.NewRegistry())})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sampleModule has the permissions that sample rows name; everybody may read.
func sampleModule() api.Module {
	m := api.Module{Name: "sample", Personal: api.NoTables}
	for _, p := range [][2]string{{"student", "Students"}, {"class", "Classes"}, {"exam", "Exams"}, {"attendance", "Attendance"},
		{"fee", "Fees"}, {"transport", "Transport"}, {"report", "Reports"}} {
		m.Permissions = append(m.Permissions, api.Permission{Key: p[0], Title: p[1], Teacher: "r", Parent: "r", Driver: "r"})
	}
	return m
}
