package factor_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/auth/factor"
)

// The secret and the codes of RFC 6238, appendix B, cut to six digits.
var rfcSecret = []byte("12345678901234567890")

func TestCode_RFC6238Vectors_AreMet(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924",
		2000000000: "279037", 20000000000: "353130"} {
		if got := factor.Code(rfcSecret, factor.StepAt(time.Unix(at, 0))); got != want {
			t.Errorf("at %d: got %s, want %s", at, got, want)
		}
	}
}

func TestMatch_OneStepOff_IsTakenAndTwoAreNot(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for off, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		step := factor.StepAt(now) + off
		at, ok := factor.Match(rfcSecret, factor.Code(rfcSecret, step), now)
		if ok != want {
			t.Errorf("%d steps off: got %v, want %v", off, ok, want)
		}
		if ok && at != step {
			t.Errorf("%d steps off: found step %d, want %d", off, at, step)
		}
	}
}

func TestOpen_AnotherAccountOrKey_IsRefused(t *testing.T) {
	t.Parallel()
	key, account := []byte(strings.Repeat("k", 32)), uuid.New()
	sealed, err := factor.Seal(key, account, rfcSecret)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := factor.Open(key, account, sealed); err != nil || !bytes.Equal(got, rfcSecret) {
		t.Errorf("got %q, %v", got, err)
	}
	if bytes.Contains(sealed, rfcSecret) {
		t.Error("the secret can be read")
	}
	if _, err := factor.Open(key, uuid.New(), sealed); err == nil {
		t.Error("it opens for another account")
	}
	if _, err := factor.Open([]byte(strings.Repeat("x", 32)), account, sealed); err == nil {
		t.Error("it opens with another key")
	}
	if _, err := factor.Open(key, account, sealed[:5]); err == nil {
		t.Error("a part of it opens")
	}
}

func TestRecoveryHash_TypedOtherwise_IsTheSame(t *testing.T) {
	t.Parallel()
	account := uuid.New()
	codes := factor.NewRecoveryCodes()
	if len(codes) != factor.RecoveryCodes {
		t.Fatalf("got %d codes, want %d", len(codes), factor.RecoveryCodes)
	}
	code := codes[0]
	want := factor.RecoveryHash(account, code)
	for _, typed := range []string{strings.ToUpper(code), strings.ReplaceAll(code, "-", " "),
		strings.ReplaceAll(strings.ReplaceAll(code, "-", ""), "0", "O")} {
		if !bytes.Equal(factor.RecoveryHash(account, typed), want) {
			t.Errorf("%q is another code than %q", typed, code)
		}
	}
	if bytes.Equal(factor.RecoveryHash(account, codes[1]), want) || bytes.Equal(factor.RecoveryHash(uuid.New(), code), want) {
		t.Error("another code, or another account's, is the same")
	}
}
