package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	// MaxUpload is the largest CSV file.
	MaxUpload = 20 << 20
	// MaxFile is the largest file of any other kind.
	MaxFile = 10 << 20
	// formMemory is how much of a multipart file is kept in memory; the rest waits on disk.
	formMemory = 1 << 20
	// uploadTimeout is how long a row that takes a file may work on it.
	uploadTimeout = 5 * time.Minute
)

// Incoming is a file on its way in. It is read once, from front to back, and never
// held as a whole.
type Incoming struct {
	Name string // as the client called it; never a path of ours
	Size int64  // -1 when the client did not say
	body io.Reader
	read int64
	most int64
}

// Read reads on. A file that is too large is a 413 as soon as that shows.
func (f *Incoming) Read(p []byte) (int, error) {
	n, err := f.body.Read(p)
	f.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, f.fault(err)
	}
	return n, err
}

// Share is how much of the file was read, from 0 to 1.
func (f *Incoming) Share() float64 {
	if f.Size <= 0 {
		return 0
	}
	return min(1, float64(f.read)/float64(f.Size))
}

func (f *Incoming) fault(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return tooLargeFile(f.most)
	}
	return Malformed("The file ended before it was whole").Because(err)
}

func tooLargeFile(most int64) *Error {
	return newError(413, "", "The file is larger than %d MiB", most>>20)
}

// Upload takes a CSV file: as the field file of a form, or as the whole body. Its
// other parameters come from the query or the form's other fields. Such work is long,
// so its handler keeps its own transactions (see Transact) and has minutes.
func Upload[Req, Resp any](path, module, summary string, h func(Ctx, Req, *Incoming) (Resp, error), opts ...Option) Row {
	takes := func(r *Row) { r.Upload, r.MaxUpload, r.Timeout = true, MaxUpload, uploadTimeout }
	return schoolRow("POST", path, module, summary, Write, 200, func(c Ctx, req Req) (Resp, error) { return h(c, req, c.rq.upload) },
		append([]Option{takes}, opts...))
}

// UploadFile takes a file of any kind, as the field file of a form: what it is, its
// content says. Answered 201. Like Upload, its handler keeps its own transactions.
func UploadFile[Req, Resp any](path, module, summary string, h func(Ctx, Req, *Incoming) (Resp, error), opts ...Option) Row {
	r := Upload(path, module, summary, h, opts...)
	r.MaxUpload, r.AnyFile, r.Status = MaxFile, true, 201
	return r
}

// bindUpload fills an upload row's request and opens the file.
func (k *Kernel) bindUpload(row *Row, g *gin.Context, rq *request) (any, error) {
	file, fields, err := openUpload(row, g)
	if err != nil {
		return nil, err
	}
	rq.upload = file
	req := row.newRequest()
	v := reflect.ValueOf(req).Elem()
	query := g.Request.URL.Query()
	d := diagnosis{details: row.unknownParameters(query)}
	for name, values := range fields {
		if _, twice := query[name]; twice {
			return nil, Malformed("%s is in both the query and the form", name)
		}
		query[name] = values
	}
	if err := bindQuery(row.plan, v, query, nil, &d); err != nil {
		return nil, err
	}
	for _, f := range row.plan.path {
		if err := setText(v.FieldByIndex(f.index), g.Param(f.name)); err != nil {
			return nil, Malformed("%s in the path is not a valid id", f.name)
		}
	}
	if row.fromCSV != nil {
		if err := row.fromCSV(req, file); err != nil {
			return nil, err
		}
	}
	broken, err := k.rules.broken(req, v, row.plan)
	if err != nil {
		return nil, err
	}
	d.addUnnamed(broken)
	if len(d.details) > 0 {
		return nil, d.refusal()
	}
	return req, nil
}

// bringsFile tells a call that sends a file from one that sends JSON.
func bringsFile(g *gin.Context) bool {
	media, _, err := mime.ParseMediaType(g.GetHeader("Content-Type"))
	return err == nil && (media == "multipart/form-data" || csvTypes[media])
}

// csvTypes are what programs call a CSV file.
var csvTypes = map[string]bool{"text/csv": true, "application/csv": true, "text/plain": true, "application/vnd.ms-excel": true,
	"application/zip": true}

func openUpload(row *Row, g *gin.Context) (*Incoming, url.Values, error) {
	media, params, err := mime.ParseMediaType(g.GetHeader("Content-Type"))
	switch {
	case err == nil && media == "multipart/form-data":
		return openForm(row, g)
	case row.AnyFile:
		return nil, nil, Malformed("Content-Type must be multipart/form-data with a field file")
	case err != nil || !csvTypes[media]:
		return nil, nil, Malformed("Content-Type must be multipart/form-data with a field file, or text/csv")
	case params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8"):
		return nil, nil, Malformed("The file must be UTF-8")
	case g.Request.ContentLength > row.MaxUpload:
		return nil, nil, tooLargeFile(row.MaxUpload)
	}
	return &Incoming{Size: g.Request.ContentLength, most: row.MaxUpload, body: http.MaxBytesReader(g.Writer, g.Request.Body, row.MaxUpload)},
		nil, nil
}

// openForm reads a form whole, since a field that changes everything (dryRun) may come
// after the file. What does not fit in memory waits on disk and is removed with the request.
func openForm(row *Row, g *gin.Context) (*Incoming, url.Values, error) {
	g.Request.Body = http.MaxBytesReader(g.Writer, g.Request.Body, row.MaxUpload+formMemory)
	if err := g.Request.ParseMultipartForm(formMemory); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, nil, tooLargeFile(row.MaxUpload)
		}
		return nil, nil, Malformed("The form could not be read").Because(err)
	}
	form := g.Request.MultipartForm
	if len(form.File["file"]) != 1 || len(form.File) != 1 {
		return nil, nil, Malformed("The form must have one file, in the field file")
	}
	header := form.File["file"][0]
	if header.Size > row.MaxUpload {
		return nil, nil, tooLargeFile(row.MaxUpload)
	}
	body, err := header.Open()
	if err != nil {
		return nil, nil, Malformed("The file could not be read").Because(err)
	}
	return &Incoming{Name: cleanName(header.Filename), Size: header.Size, most: row.MaxUpload, body: body}, form.Value, nil
}

// cleanName keeps what is safe to show and to store of a client's file name.
func cleanName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '/' || c == '\\' {
			return '_'
		}
		return c
	}, strings.ToValidUTF8(name, "_"))
	if r := []rune(name); len(r) > 200 {
		return string(r[:200])
	}
	return name
}
