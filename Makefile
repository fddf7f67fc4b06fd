# GoblinLab. `make help` lists what there is; `make run` and `make test` set up
# whatever they need on the first call.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
GOLANGCI := v2.15.0
ARGS ?=

.PHONY: help run build page local images arm64 test test-unit test-postgres test-cluster test-page test-local test-docker generate lint verify bench e2e clean tools

help: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

tools:
	@scripts/toolchain.sh

run: build local ## build everything and run it here: page, API, worker, Kubernetes
	@exec scripts/run.sh $(ARGS)

build: tools page ## the server, with the page inside
	@echo "==> building the server (the first time takes minutes)"
	@go build -o bin/goblinlab ./cmd/goblinlab
	@CGO_ENABLED=0 go build -o bin/goblin-init ./cmd/goblin-init
	@CGO_ENABLED=0 go build -o bin/goblin ./cmd/goblin

page: tools bin/.page ## the page alone

bin/.page: $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -type f -print 2>/dev/null)
	@echo "==> building the page"
	@cd frontend && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build
	@mkdir -p bin && touch $@

local: tools ## the local Kubernetes (the first time takes about 8 minutes)
	@$(MAKE) --no-print-directory -C deploy/local $(if $(filter 0,$(shell id -u)),all,host) OUT=$(CURDIR)/bin/local

images: tools ## the images of instances and tasks (the first time takes about 5 minutes)
	@$(MAKE) --no-print-directory -C deploy/images all OUT=$(CURDIR)/bin/images

arm64: tools page ## every program for arm64, into bin/arm64 (about as long as the first build)
	@scripts/arm64.sh

test: build local images ## all tests, on SQLite and on PostgreSQL, with the local Kubernetes and a browser
	@$(MAKE) --no-print-directory test-page test-unit test-postgres test-local test-docker
	@$(MAKE) --no-print-directory test-cluster

test-unit: ## tests without a cluster, on SQLite and the Redis inside the process
	@echo "==> Go tests on SQLite"
	@go test -timeout 15m ./...

# The pure packages have run by then, and what the tests look like was vetted.
test-postgres: ## those with a database again, on PostgreSQL and a real Redis; those that start threads with the race detector
	@echo "==> Go tests on PostgreSQL and Redis"
	@scripts/with-services.sh postgres -- scripts/test-postgres.sh

test-cluster: ## tests with the local Kubernetes and a browser, on both pairs of databases
	@scripts/need.sh ssh=openssh-client chromium=chromium /usr/share/fonts/opentype/noto/NotoSansCJK*=fonts-noto-cjk
	@scripts/with-services.sh postgres cluster -- scripts/test-cluster.sh

test-page: page ## lint, types and tests of the page
	@echo "==> tests of the page"
	@cd frontend && npm run --silent lint && npm run --silent typecheck && npm run --silent test

test-local: ## tests of the local Kubernetes' own modules
	@echo "==> tests of the local Kubernetes"
	@cd deploy/local/kube && go test -vet=off -timeout 10m ./...
	@cd deploy/local/conformance && go test -vet=off ./...

test-docker: ## the Dockerfiles, read by BuildKit's parser
	@echo "==> the Dockerfiles"
	@cd deploy/images/docker/lint && go test -count=1 ./...

generate: tools ## generated code: the data layer, migrations, the API, the page's types
	@go generate ./ent ./internal/db ./graph
	@cd frontend && npm run --silent generate

lint: tools bin/golangci-lint ## linters and formatters, without changing anything
	@bin/golangci-lint run ./...
	@cd frontend && npm run --silent lint && npm run --silent format:check

bin/golangci-lint:
	@echo "==> building golangci-lint $(GOLANGCI)"
	@GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)

verify: lint generate ## lint, and generated code, migrations and go.mod are up to date
	@go mod tidy
	@git diff --exit-code -- go.mod go.sum ent graph schema.graphql internal/db/migrations frontend/src/gql || { echo "goblinlab: generated files were stale; commit what make generate changed" >&2; exit 1; }
	@go vet -tags cluster,bench ./...

bench: build local images ## measure and write docs/bench.md
	@scripts/with-services.sh cluster -- env GOBLINLAB_TEST_REDIS_SERVER=$$(command -v redis-server || true) \
	  go test -tags bench -count=1 -timeout 60m ./internal/bench -args -out $(CURDIR)/docs/bench.md

e2e: build local images ## the browser's tests alone
	@scripts/need.sh chromium=chromium /usr/share/fonts/opentype/noto/NotoSansCJK*=fonts-noto-cjk
	@scripts/with-services.sh cluster -- go test -tags cluster -run Browser -count=1 -timeout 20m -v ./internal/system

clean: ## what was built; data of `make run` stays in .goblinlab
	@rm -rf bin frontend/dist/assets frontend/dist/index.html
