# `make run` on a fresh machine with Go is all it takes. Every target does its own set-up.

.DEFAULT_GOAL := help
.PHONY: help run test lint bench bench-web openapi build web screenshots faults fuzz

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r target what; do \
		printf '  make %-11s %s\n' "$$target" "$$what"; done

run: ## build and start everything here: private Postgres and Redis, demo data, port 3001
	@scripts/need --if-possible postgres redis
	@scripts/build
	@exec bin/homeroom local

test: ## the whole suite, with the race detector, on real servers
	@scripts/need postgres redis pgbouncer node chromium
	@scripts/packages realtime/socketio/testdata/clients
	@scripts/web deps
	go test -race -vet=off -timeout 14m ./...

faults: ## crash tests in their long form: payments (killed 20 times, 200 under way each time), moves (killed at every step, every server too)
	@scripts/need postgres redis pgbouncer
	FEE_TEST_ROUNDS=20 go test -count=1 -timeout 30m -run TestAnInstanceKilledAmidPaymentsLosesAndDoublesNone ./modules/fee
	MOVE_TEST_ALL=yes go test -count=1 -timeout 40m -run 'TestAMove' ./tenancy

fuzz: ## 200,000 calls made from the API's own document, whole and broken, by everybody
	@scripts/need postgres redis
	HOMEROOM_FUZZ_REQUESTS=$${HOMEROOM_FUZZ_REQUESTS:-200000} go test -count=1 -timeout 60m -v -run TestWhateverIsSentEveryAnswerIsOneTheDocumentPromises ./cmd/service

lint: ## formatting, go vet, staticcheck, import rules, generated files
	@scripts/lint

bench: ## benchmarks against the limit; writes bench/results.md
	@scripts/need postgres redis node
	@scripts/packages realtime/socketio/testdata/clients
	go run ./bench

bench-web: ## what the console's pages cost a browser: paint, jumps, bytes, memory
	@scripts/need postgres redis node chromium
	@scripts/web deps
	go test -count=1 -v -tags benchweb -run TestBench ./web

openapi: ## write docs/openapi.json from the endpoint rows
	@go run ./cmd/homeroom openapi > docs/openapi.json.new && mv docs/openapi.json.new docs/openapi.json || { rm -f docs/openapi.json.new; exit 1; }

build: ## bin/homeroom
	@scripts/build

web: ## web/dist, the console, from its sources
	@scripts/need node
	@scripts/web build

screenshots: ## pictures of the console's pages, in web/screenshots/
	@scripts/need postgres redis node chromium
	@scripts/web deps
	go test -count=1 -tags screenshots -timeout 60m -v -run TestScreenshots ./web
