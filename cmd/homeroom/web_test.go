package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"homeroom/testkit"
)

// call calls a running homeroom and returns the status and the body.
func call(t *testing.T, method, url, token string, body any) (int, []byte) {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequest(method, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := testkit.UntilServed(func() (testkit.Answer, error) {
		req.Body = io.NopCloser(bytes.NewReader(text))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return testkit.Answer{}, err
		}
		defer func() { _ = resp.Body.Close() }()
		answer, err := io.ReadAll(resp.Body)
		return testkit.Answer{Status: resp.StatusCode, Header: resp.Header, Body: answer}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return a.Status, a.Body
}

// wants calls and expects a status.
func wants(t *testing.T, status int, method, url, token string, body any) []byte {
	t.Helper()
	got, answer := call(t, method, url, token, body)
	if got != status {
		t.Fatalf("%s %s: want %d, got %d %s", method, url, status, got, answer)
	}
	return answer
}

// signIn signs a web administrator in and returns the access token.
func signIn(t *testing.T, address, email, password string) string {
	t.Helper()
	var signedIn struct {
		AccessToken string `json:"accessToken"`
	}
	answer := wants(t, 200, "POST", address+"/auth/login", "", map[string]string{"email": email, "password": password})
	if err := json.Unmarshal(answer, &signedIn); err != nil || signedIn.AccessToken == "" {
		t.Fatalf("no token in %s", answer)
	}
	return signedIn.AccessToken
}

// names lists the names of a school's records.
func names(t *testing.T, address, token, path string) []string {
	t.Helper()
	var list struct {
		Data struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"items"`
		} `json:"data"`
	}
	if err := json.Unmarshal(wants(t, 200, "GET", address+path, token, nil), &list); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range list.Data.Items {
		out = append(out, item.Name)
	}
	return out
}
