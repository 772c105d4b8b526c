package main

import (
	"context"
	"net"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeroom/api"
	"homeroom/tenancy"
)

// The barest server that could do the same: Gin, pgx, one pipeline, the same pools;
// no token, no limit, no permission, no GORM, no log.

const (
	bareShards = 16
	bareConns  = 2

	bindSQL  = `select set_config('search_path', $1, true), set_config('role', $1, true), set_config('transaction_read_only', 'on', true)`
	countSQL = `SELECT count(*) FROM "bench_student"`
)

var (
	pageSQL = `SELECT ` + lineColumns + ` FROM "bench_student" ORDER BY last_name, id LIMIT $1`
	readSQL = `SELECT ` + recordColumns + ` FROM "bench_student" WHERE id = $1 LIMIT $2`
)

type bareServer struct{ pools []*pgxpool.Pool }

func serveBare(ctx context.Context, s childSettings, ready func(address string)) error {
	var b bareServer
	for range bareShards {
		config, err := pgxpool.ParseConfig(s.Database)
		if err != nil {
			return err
		}
		config.MaxConns = bareConns
		// Statements are prepared before they are bound.
		config.ConnConfig.RuntimeParams["search_path"] = tenancy.TemplateSchema
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return err
		}
		defer pool.Close()
		b.pools = append(b.pools, pool)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/:school/list", b.list)
	engine.GET("/:school/read/:id", b.read)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: engine}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	ready(listener.Addr().String())
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// send runs the statements in one pipeline under the school's binding.
func (b bareServer) send(g *gin.Context, batch *pgx.Batch, receive func(pgx.BatchResults) error) error {
	n, err := strconv.Atoi(g.Param("school"))
	if err != nil {
		return err
	}
	all := &pgx.Batch{}
	all.Queue(bindSQL, schemaName(n))
	all.QueuedQueries = append(all.QueuedQueries, batch.QueuedQueries...)
	results := b.pools[n%bareShards].SendBatch(g, all)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return err
	}
	return receive(results)
}

func (b bareServer) list(g *gin.Context) {
	page := api.Page[StudentLine]{Page: 1, Limit: 20}
	batch := &pgx.Batch{}
	batch.Queue(countSQL)
	batch.Queue(pageSQL, 20)
	err := b.send(g, batch, func(r pgx.BatchResults) error {
		if err := r.QueryRow().Scan(&page.Total); err != nil {
			return err
		}
		rows, err := r.Query()
		if err != nil {
			return err
		}
		for rows.Next() {
			var s StudentLine
			if err := rows.Scan(&s.ID, &s.AdmissionNo, &s.RollNo, &s.FirstName, &s.LastName, &s.Gender, &s.BirthDate, &s.City, &s.Phone,
				&s.ClassID, &s.PhotoFileID, &s.Status); err != nil {
				return err
			}
			page.Items = append(page.Items, s)
		}
		return rows.Err()
	})
	page.TotalPages = (page.Total + page.Limit - 1) / page.Limit
	answerBare(g, page, err)
}

func (b bareServer) read(g *gin.Context) {
	var s BenchStudent
	id, err := uuid.Parse(g.Param("id"))
	if err == nil {
		batch := &pgx.Batch{}
		batch.Queue(readSQL, id, 1)
		err = b.send(g, batch, func(r pgx.BatchResults) error {
			return r.QueryRow().Scan(&s.ID, &s.CreatedAt, &s.UpdatedAt, &s.CreatedBy, &s.UpdatedBy, &s.Version, &s.AdmissionNo, &s.RollNo,
				&s.FirstName,
				&s.MiddleName, &s.LastName, &s.Gender, &s.BirthDate, &s.BloodGroup, &s.Nationality, &s.MotherTongue, &s.Address, &s.City,
				&s.PostalCode,
				&s.Phone, &s.Email, &s.ClassID, &s.AdmittedOn, &s.PhotoFileID, &s.Status)
		})
	}
	answerBare(g, s, err)
}

func answerBare(g *gin.Context, data any, err error) {
	if err != nil {
		g.String(http.StatusInternalServerError, err.Error())
		return
	}
	g.JSON(http.StatusOK, struct {
		Data    any    `json:"data"`
		Message string `json:"message"`
	}{data, "OK"})
}
