package service

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/google/uuid"

	"homeroom/archive"
	"homeroom/auth/directory"
	"homeroom/tenancy"
)

// tally passes bytes on and counts and sums them.
type tally struct {
	to  io.Writer
	sum hash.Hash
	n   int64
}

func (t *tally) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	t.n += int64(n)
	t.sum.Write(p[:n])
	return n, err
}

// Export writes a whole school into a file.
func (s *Service) Export(ctx context.Context, id uuid.UUID, to io.Writer, progress func(done, tables int, rows int64)) (archive.Closing,
	error) {
	return s.exports.write(ctx, id, to, progress)
}

// Seal is the keys that archives are sealed with here, and that those to be imported must be sealed
// with: HOMEROOM_ARCHIVE_KEY, if there is one, and a key that follows from HOMEROOM_SECRET.
func (s *Service) Seal() archive.Seal { return ArchiveSeal(s.Config.ArchiveKey, s.Config.Secret) }

// ArchiveSeal is the seal of an installation with these two.
func ArchiveSeal(key, secret string) archive.Seal {
	var out archive.Seal
	for _, from := range []string{key, secret} {
		if from != "" {
			mac := hmac.New(sha256.New, []byte(from))
			mac.Write([]byte("homeroom archive seal"))
			out.Keys = append(out.Keys, mac.Sum(nil))
		}
	}
	return out
}

// Restored is a school made of an archive, and what was done to it afterwards.
type Restored struct {
	School *tenancy.School
	Proof  archive.Proof
	People *directory.RestoredUsers
	// Unsent are messages and facts that waited when the archive was made: the school it
	// was made of has told them, or will.
	Unsent int64
}

// Import makes a school of an archive. What waited there to be told is not told again;
// what is due later, an announcement for tomorrow, say, is.
func (s *Service) Import(ctx context.Context, i archive.Import, from io.ReadSeeker) (Restored, error) {
	out := Restored{People: s.Auth.RestoreUsers()}
	i.Cluster, i.Seal.Keys, i.Files = s.Cluster, s.Seal().Keys, s.store
	prepare := i.Prepare
	i.Prepare = func(ctx context.Context, school *tenancy.School) error {
		var err error
		if prepare != nil {
			if err = prepare(ctx, school); err != nil {
				return err
			}
		}
		if out.Unsent, err = dropUnsent(ctx, s.Cluster, school, s.now()); err != nil {
			return err
		}
		return out.People.Read(ctx, school)
	}
	i.InTx = append(i.InTx, out.People.Enter)
	var err error
	out.School, out.Proof, err = i.Read(ctx, from)
	return out, err
}

// dropUnsent removes the messages and facts that are due by now, and counts them.
func dropUnsent(ctx context.Context, cluster *tenancy.Cluster, school *tenancy.School, now time.Time) (int64, error) {
	db, err := cluster.School(ctx, school, tenancy.LongWrite)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, sql := range []string{
		`update delivery set state = 'FAILED', last_error = 'Not sent: the school was restored from an archive' where state = 'QUEUED'
			and created_at <= ?`,
		`delete from outbox where next_at <= ?`,
	} {
		done := db.Exec(sql, now.Add(time.Minute))
		if done.Error != nil {
			return n, fmt.Errorf("dropping unsent messages: %w", done.Error)
		}
		n += done.RowsAffected
	}
	return n, nil
}
