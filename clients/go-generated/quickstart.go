// Command quickstart is the quick start with a client that oapi-codegen generates from /openapi.json: it signs in, lists students,
// reads one, and pages through all of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"

	"github.com/oapi-codegen/runtime/types"

	"quickstart/homeroom"
)

//go:generate go tool oapi-codegen -config oapi.yaml openapi.json

func main() {
	address := flag.String("url", "http://127.0.0.1:3001", "where the service is")
	email := flag.String("email", "admin@green-valley.local", "an administrator's e-mail")
	password := flag.String("password", "", "the password")
	flag.Parse()
	if err := run(context.Background(), *address, *email, *password); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address, email, password string) error {
	var token string
	c, err := homeroom.NewClientWithResponses(address, homeroom.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}))
	if err != nil {
		return err
	}
	in, err := c.PostAuthLoginWithResponse(ctx, nil, homeroom.LoginRequest{Email: types.Email(email), Password: password})
	if err != nil {
		return err
	}
	if in.JSON200 == nil {
		return fmt.Errorf("signing in: %s", in.Body)
	}
	token = in.JSON200.AccessToken

	students := func(page, limit int) (*homeroom.GetSchoolAdminStudentListResponse, error) {
		list, err := c.GetSchoolAdminStudentListWithResponse(ctx, &homeroom.GetSchoolAdminStudentListParams{Page: &page, Limit: &limit})
		if err == nil && list.JSON200 == nil {
			err = fmt.Errorf("listing students: %s", list.Body)
		}
		return list, err
	}
	first, err := students(1, 20)
	if err != nil {
		return err
	}
	fmt.Printf("students: %d of %d\n", len(first.JSON200.Data.Items), first.JSON200.Data.Total)
	if len(first.JSON200.Data.Items) > 0 {
		one, err := c.GetSchoolAdminStudentByIdWithResponse(ctx, first.JSON200.Data.Items[0].Id)
		if err != nil {
			return err
		}
		if one.JSON200 == nil {
			return fmt.Errorf("reading a student: %s", one.Body)
		}
		fmt.Printf("first: %s %s\n", one.JSON200.Data.FirstName, one.JSON200.Data.LastName)
	}
	all := 0
	for page := 1; ; page++ {
		list, err := students(page, 100)
		if err != nil {
			return err
		}
		all += len(list.JSON200.Data.Items)
		if page >= list.JSON200.Data.TotalPages {
			break
		}
	}
	fmt.Printf("all: %d\n", all)
	return nil
}
