# `make run` on a fresh machine with Go is all it takes. Every target does its own set-up.

.DEFAULT_GOAL := help

# One way to compile for all: what lint, tests and builds share is compiled once, and another checkout finds it compiled.
# Without gin's msgpack codec, which no route uses and the compiler takes long for, and without what only a debugger reads: the
# linker drops it, and the compiler spends a quarter of its time on it.
export GOFLAGS := $(shell go env GOFLAGS) -trimpath -tags=nomsgpack -gcflags=all=-dwarf=false

.PHONY: help run test slow-line race steady attack lint bench profile bench-web openapi notices build release web web-format screenshots faults soak matrix fuzz load

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r target what; do \
		printf '  make %-11s %s\n' "$$target" "$$what"; done

run: ## build and start everything here: private Postgres and Redis, demo data, port 3001
	@exec scripts/run

test: ## the whole suite on real servers; the race detector watches what shares memory
	@scripts/need postgres redis pgbouncer nginx node chromium java
	@scripts/packages realtime/socketio/testdata/clients clients/kotlin
	@scripts/web deps
	@scripts/test

slow-line: ## every story of the console and the app on a line of 300 ms
	@scripts/need postgres redis node chromium
	@scripts/web deps
	@LINE=$${LINE:-300} scripts/test -parallel=4 ./web

race: ## the whole suite with the race detector everywhere
	@scripts/need postgres redis pgbouncer nginx node chromium java
	@scripts/packages realtime/socketio/testdata/clients clients/kotlin
	@scripts/web deps
	@scripts/test --race

steady: ## the suite five times beside two busy loops and twice in another order; adds its lines to bench/steady.md
	@scripts/need postgres redis pgbouncer nginx node chromium java
	@scripts/packages realtime/socketio/testdata/clients clients/kotlin
	@scripts/web deps
	@scripts/steady

attack: ## the long form of the tests that attack the service, with the timing of answers; writes bench/attacks.md
	@scripts/need postgres redis node
	@scripts/packages realtime/socketio/testdata/clients
	@scripts/attack

faults: ## everything that may break, breaks under load: 100 kills, 1,000,000 calls; a day at school with faults; crashes amid payments and moves; servers restored to a moment, other secrets, refused logins. Writes bench/faults.md
	@scripts/need postgres redis pgbouncer nginx node toxiproxy
	@scripts/packages realtime/socketio/testdata/clients
	HOMEROOM_FAULT_TURNS=$${HOMEROOM_FAULT_TURNS:-20} HOMEROOM_FAULT_REQUESTS=$${HOMEROOM_FAULT_REQUESTS:-1000000} HOMEROOM_FAULT_REPORT=$(CURDIR)/bench/faults.md \
		go test -count=1 -timeout 180m -v -run TestWhateverBreaks ./cmd/service
	HOMEROOM_DAY_ALL=yes go test -count=1 -timeout 30m -v -run TestADayAtSchool ./cmd/service
	FEE_TEST_ROUNDS=20 go test -count=1 -timeout 30m -run TestAnInstanceKilledAmidPaymentsLosesAndDoublesNone ./modules/fee
	go test -count=1 -timeout 30m -v -run 'TestRestore_|TestANodeIsRestored|TestSecret_|TestMigrate_CheckAll' ./cmd/homeroom
	go test -count=1 -timeout 30m -v -run 'TestLogins_|TestReadiness_' ./cmd/service
	go test -count=1 -timeout 30m -v -run 'WentBack|Restored|Copy_|OfAnotherInstallation|Secret' ./tenancy/lifecycle
	HOMEROOM_FAILOVER=all go test -count=1 -timeout 30m -v -run TestFailover ./fleet
	MOVE_TEST_ALL=yes go test -count=1 -timeout 40m -run 'TestAMove' ./tenancy/move

matrix: ## three instances behind nginx, on every kind of Redis and Postgres, restarted one after another under load
	@scripts/need postgres redis pgbouncer nginx
	HOMEROOM_MATRIX=all HOMEROOM_ROUNDS=$${HOMEROOM_ROUNDS:-2} go test -count=1 -timeout 60m -v -run TestInstancesBehindNginx ./fleet

soak: ## 20 minutes of steady load on one instance, whose memory, goroutines, files and connections must not grow. Writes bench/soak.md
	@scripts/need postgres redis
	HOMEROOM_SOAK=$${HOMEROOM_SOAK:-20m} HOMEROOM_SOAK_REPORT=$(CURDIR)/bench/soak.md \
		go test -count=1 -timeout 0 -v -tags soak -run TestAnInstanceUnderSteadyLoadDoesNotGrow ./cmd/service

fuzz: ## 200,000 calls made from the API's own document, whole and broken, by everybody; each field of each row as large as can be; then every fuzz target for 2 minutes
	@scripts/need postgres redis
	HOMEROOM_FUZZ_REQUESTS=$${HOMEROOM_FUZZ_REQUESTS:-200000} go test -count=1 -timeout 60m -v -run TestWhateverIsSentEveryAnswerIsOneTheDocumentPromises ./cmd/service
	@scripts/fuzz $${HOMEROOM_FUZZ_TIME:-2m}

load: ## the eight o'clock rush at 200 schools, by 1, 2 and 3 instances behind nginx; writes bench/load.md
	@scripts/need postgres redis nginx k6
	go test -count=1 -timeout 40m -v -tags load -run TestTheMorningRush ./load

lint: ## formatting, go vet, staticcheck, import rules, generated files
	@scripts/lint

bench: ## benchmarks against the limit; writes bench/results.md
	@scripts/need postgres redis node
	@scripts/packages realtime/socketio/testdata/clients bench/peer
	go -C bench run .

profile: ## where the processor's time of a list, a mark and a payment goes; writes bench/profiles.md
	@scripts/need postgres redis
	@rm -rf .local/profiles && mkdir -p .local/profiles
	go -C bench run . -only list,attendance,payment -schools 100 -rounds 1 -seconds 15 -profile ../.local/profiles
	@cp .local/profiles/profiles.md bench/profiles.md

bench-web: ## what the pages of the console and the app cost a browser: paint, jumps, bytes, memory, how soon a key or tap shows
	@scripts/need postgres redis node chromium
	@scripts/web deps
	go test -count=1 -v -timeout 60m -tags benchweb -run TestBench ./web

openapi: ## write docs/openapi.json from the endpoint rows
	@go run ./cmd/homeroom openapi > docs/openapi.json.new && mv docs/openapi.json.new docs/openapi.json || { rm -f docs/openapi.json.new; exit 1; }

baseline: ## write migrations/baseline/, by which a new school is made, from the schools' migrations
	@scripts/need postgres redis
	go test -count=1 -run TestBaseline ./tenancy/lifecycle -args -baseline

notices: ## write THIRD_PARTY_NOTICES.md from the modules and packages that a release contains
	@scripts/need node
	@scripts/web deps
	go run ./scripts/notices

build: ## bin/homeroom
	@scripts/build

release: ## dist/release/<version>/: archives for Linux and macOS, checksums, bills of materials; of a clean checkout
	@scripts/release

web: ## web/dist, the console, from its sources
	@scripts/need node
	@scripts/web build

web-format: ## the console's sources in their one format, with the safe fixes of the linter
	@scripts/need node
	@scripts/web format

screenshots: ## the README's pictures, of the demo, light and dark; with ALL=yes those of every page too, in web/screenshots/
	@scripts/need postgres redis node chromium
	@scripts/web deps
	go test -count=1 -tags=lean,nomsgpack,screenshots -ldflags=-w -timeout 60m -v -run "$(if $(ALL),TestPictures$$|TestScreenshots,TestPictures$$)" ./web
