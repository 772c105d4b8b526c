package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/tenancy"
)

// keyPrefix begins every API key, so that scanners of leaked secrets know one:
// hrk_[a-z2-7]{96}. The last four of its 60 bytes are a checksum, by which one that was cut or
// mistyped is known without a look into the database.
const keyPrefix = "hrk_"

const (
	keySecret = 24 // bytes that nobody can guess
	keySummed = 16 + 16 + keySecret
)

var keyText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

var errKey = api.Unauthorized("The API key is invalid, was revoked or has ended")

// lastUsedEvery is how often a key's last use is written down while it is used.
const lastUsedEvery = time.Minute

// NewKey makes an API key and the hash it is kept as. It names its school, so that it is looked
// for there alone; all keys of a school begin alike, as its tokens do.
func NewKey(school, id uuid.UUID) (text string, hash []byte) {
	secret := make([]byte, keySecret)
	_, _ = rand.Read(secret) // it never fails
	raw := append(append(append([]byte{}, school[:]...), id[:]...), secret...)
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	text = keyPrefix + keyText.EncodeToString(raw)
	return text, digest(text)
}

// parseKey reads the school and the id that a key names.
func parseKey(text string) (school, id uuid.UUID, ok bool) {
	raw, err := keyText.DecodeString(strings.TrimPrefix(text, keyPrefix))
	if err != nil || len(raw) != keySummed+4 || crc32.ChecksumIEEE(raw[:keySummed]) != binary.BigEndian.Uint32(raw[keySummed:]) {
		return uuid.Nil, uuid.Nil, false
	}
	return uuid.UUID(raw[:16]), uuid.UUID(raw[16:32]), true
}

// authenticateKey is Authenticate for an API key. The hash covers the school's id too: a copy of
// the school under another id does not take the key.
func (a *Auth) authenticateKey(ctx context.Context, text string) (api.User, error) {
	school, id, ok := parseKey(text)
	if !ok {
		return api.User{}, errKey
	}
	return a.keyUser(ctx, school, id, digest(text))
}

// keyUser is the user of a key that has this hash; nil: of one that is vouched for by a token of ours.
func (a *Auth) keyUser(ctx context.Context, school, id uuid.UUID, hash []byte) (api.User, error) {
	now := a.Clock()
	k, err := a.cached(id, now, func() (cachedSession, error) { return a.loadKey(ctx, school, id, hash) })
	if err != nil {
		return api.User{}, err
	}
	if hash != nil && subtle.ConstantTimeCompare(k.keyHash, hash) != 1 || k.user.SchoolID != school ||
		(!k.expiresAt.IsZero() && !now.Before(k.expiresAt)) {
		return api.User{}, errKey
	}
	return k.user, nil
}

// loadKey reads a key that was not revoked and whose maker still is an administrator of the school. Its hash is looked at unless nil.
func (a *Auth) loadKey(ctx context.Context, school, id uuid.UUID, hash []byte) (cachedSession, error) {
	s, db, err := a.Schools.OpenAny(ctx, school, tenancy.ReadOnly)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return cachedSession{}, errKey
	}
	if err != nil {
		return cachedSession{}, err
	}
	var found []struct {
		SecretHash  []byte
		PerMinute   int
		EndsOn      *api.Date
		LastUsedAt  *time.Time
		MakerID     uuid.UUID
		MakerRoleID uuid.UUID
	}
	err = tenancy.Pipeline(db, tenancy.Query{SQL: `select k.secret_hash, k.per_minute, k.ends_on, k.last_used_at, m.id as maker_id,
			m.role_id as maker_role_id
		from api_key k join app_user m on m.id = k.created_by and m.status = 'ACTIVE' join role r on r.id = m.role_id and r.type = 'SCHOOL_ADMIN'
		where k.id = $1 and k.revoked_at is null`, Args: []any{id}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return cachedSession{}, fmt.Errorf("reading an API key: %w", err)
	}
	if len(found) == 0 || hash != nil && subtle.ConstantTimeCompare(found[0].SecretHash, hash) != 1 {
		return cachedSession{}, errKey
	}
	k := found[0]
	var barred bool
	err = a.Cluster.PlatformPool().QueryRow(ctx, `select not exists (select from platform.account where school_id = $1 and user_id = $2
		and not disabled and barred_at is null)`, school, k.MakerID).Scan(&barred)
	if err != nil {
		return cachedSession{}, fmt.Errorf("reading an API key's maker: %w", err)
	}
	if barred {
		return cachedSession{}, errKey
	}
	out := cachedSession{keyHash: k.SecretHash, user: api.User{ID: id, SessionID: id, SchoolID: school, Role: api.SchoolAdmin, RoleID: id,
		Key: &api.Key{MakerID: k.MakerID, MakerRoleID: k.MakerRoleID, PerMinute: k.PerMinute}}}
	if k.EndsOn != nil {
		out.expiresAt = k.EndsOn.AddDays(1).In(s.Location())
	}
	a.noteKeyUse(ctx, s, id, k.LastUsedAt)
	return out, nil
}

// noteKeyUse writes down that a key is used, at most once a minute. That it could not be written
// is no reason to refuse the call.
func (a *Auth) noteKeyUse(ctx context.Context, s *tenancy.School, id uuid.UUID, last *time.Time) {
	now := a.Clock()
	if last != nil && now.Sub(*last) < lastUsedEvery {
		return
	}
	db, err := a.Cluster.School(ctx, s, tenancy.ReadWrite)
	if err != nil {
		return
	}
	_ = tenancy.Pipeline(db, tenancy.Query{SQL: `update api_key set last_used_at = $2 where id = $1`, Args: []any{id, now}})
}

// KeyToken makes a token of these scopes for an API key, of which client is the id.
func (a *Auth) KeyToken(ctx context.Context, client, key string, scopes []string) (string, error) {
	if !strings.HasPrefix(key, keyPrefix) {
		return "", errKey
	}
	user, err := a.authenticateKey(ctx, key)
	if err != nil {
		return "", err
	}
	if id, err := uuid.Parse(client); err != nil || id != user.ID {
		return "", errKey
	}
	return a.Tokens.SignKey(tokens.KeyAccess{KeyID: user.ID, SchoolID: user.SchoolID, Scopes: scopes})
}

var errKeyToken = api.Unauthorized("The token is invalid or has expired")

// authenticateKeyToken is Authenticate for a token of an API key, which is looked at as if it had come itself.
func (a *Auth) authenticateKeyToken(ctx context.Context, text string) (api.User, error) {
	claim, err := a.Tokens.ReadKey(text)
	if err != nil {
		return api.User{}, errKeyToken.Because(err)
	}
	user, err := a.keyUser(ctx, claim.SchoolID, claim.KeyID, nil)
	if err != nil {
		return api.User{}, err
	}
	key := *user.Key
	key.Scopes = claim.Scopes
	user.Key = &key
	return user, nil
}
