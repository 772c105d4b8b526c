// Package s3 keeps files in a bucket of S3, or of a server that speaks its protocol.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"homeroom/api"
	"homeroom/modules/file"
)

// partSize is how much of a file is in memory at a time. A smaller file is one request.
const partSize = 8 << 20

// bucket is a file.Store. Keys are below prefix.
type bucket struct {
	client       *minio.Client
	name, prefix string
}

// Open reads an address like s3://bucket?region=ap-south-1. It may also have:
//
//	endpoint         another server than Amazon's: https://host:9000, or a host, which https is used for
//	use_path_style   the bucket is in the path instead of the host's name; s3ForcePathStyle means the same
//	disable_https    for an endpoint without a scheme
//	prefix           of all keys
//	anonymous        requests are not signed
//
// Region and endpoint default to AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3 and AWS_ENDPOINT_URL. Credentials are those
// of AWS_ACCESS_KEY_ID and so on, of the profile in ~/.aws/credentials, or of the machine's, container's or pod's role.
// No request is sent before the first file.
func Open(address *url.URL) (file.Store, error) {
	said := address.Query()
	take := func(names ...string) (value string) {
		for _, name := range names {
			if v := said.Get(name); v != "" && value == "" {
				value = v
			}
			said.Del(name)
		}
		return value
	}
	var wrong error
	flag := func(names ...string) bool {
		text := take(names...)
		if text == "" {
			return false
		}
		on, err := strconv.ParseBool(text)
		if err != nil {
			wrong = fmt.Errorf("%s must be true or false, not %q", names[0], text)
		}
		return on
	}
	options := &minio.Options{
		Region: firstOf(take("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		Creds: credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
			&credentials.IAM{}}),
	}
	if flag("use_path_style", "s3ForcePathStyle") {
		options.BucketLookup = minio.BucketLookupPath
	}
	if flag("anonymous") {
		options.Creds = credentials.NewStaticV4("", "", "")
	}
	endpoint := firstOf(take("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "s3.amazonaws.com")
	options.Secure = !flag("disable_https")
	if u, err := url.Parse(endpoint); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		endpoint, options.Secure = u.Host, u.Scheme == "https"
	}
	prefix := take("prefix")
	for name := range said {
		return nil, fmt.Errorf("the address of a bucket has no parameter %q", name)
	}
	if wrong != nil {
		return nil, wrong
	}
	if address.Host == "" || strings.Trim(address.Path, "/") != "" {
		return nil, errors.New("a bucket's address is s3://name?region=…; keys begin with prefix=…")
	}
	client, err := minio.New(endpoint, options)
	if err != nil {
		return nil, err
	}
	return bucket{client, address.Host, prefix}, nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// Write keeps bytes under a key, all or none: parts of a file that failed are taken back.
func (b bucket) Write(ctx context.Context, key, contentType string, from io.Reader) error {
	var first bytes.Buffer
	n, err := io.CopyN(&first, from, partSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err // as the reader said it: a file that is too large is the caller's fault
	}
	options := minio.PutObjectOptions{ContentType: contentType, PartSize: partSize}
	if n < partSize {
		_, err = b.client.PutObject(ctx, b.name, b.prefix+key, &first, n, options)
	} else {
		_, err = b.client.PutObject(ctx, b.name, b.prefix+key, io.MultiReader(&first, from), -1, options)
	}
	var refusal *api.Error
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return fmt.Errorf("keeping a file: %w", err)
}

// Open reads what is under a key.
func (b bucket) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading a file: %w", err)
	}
	if _, err := object.Stat(); err != nil {
		_ = object.Close()
		if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
			return nil, api.NotFound("file").Because(err)
		}
		return nil, fmt.Errorf("reading a file: %w", err)
	}
	return object, nil
}

// Delete removes what is under a key; what is not there is gone already.
func (b bucket) Delete(ctx context.Context, key string) error {
	err := b.client.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{})
	if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchKey {
		return fmt.Errorf("removing a file: %w", err)
	}
	return nil
}
