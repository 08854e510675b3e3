# opcost: what one query costs in MySQL and MariaDB.
#
#   make demo    installs what is missing, builds, measures two configurations
#                of the installed server, prints the table (under 4 minutes)
#   make test    installs what is missing, runs every test, the live ones too
#   make fuzz    every parser's fuzz target, 20 s each
#   make test-long  the tests that take minutes each
#   make test-pmu  measures inside an emulated machine whose hardware counters
#                count; needs no hardware for it (6 minutes, once 2 to build)
#   make four-servers  MariaDB 10.5, 10.11, 11.8 and MySQL 9.7 beside each other
#   make corpus  the share of public outputs of other tools that is read right
#   make bench   the figures of the docs, as ratios in one run, and at its end
#                as one table, which goes into docs/figures.md
#   make test-unit  every test, without the set-up: what lacks a tool is skipped
#   make lint    formatting, vet, staticcheck, the fences between the rooms
#   make build   bin/opcost
#   make dist    static binaries for amd64 and arm64, the manual, completions,
#                archives of all that, and checksums, in dist/
#   make reference  writes docs/reference/commands.md and plan.md anew

GO      ?= go
TOOLS   := $(CURDIR)/.tools
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# Not of the environment, as they are removed; make dist DIST=... sets them.
BIN     := bin
DIST    := dist
PAPERS  := README.md $(wildcard LICENSE* CHANGELOG.md)
# Files in archives are as old as the commit, so that each making gives the same.
DATE    := $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
FIGURES ?= $(CURDIR)/bin/figures.txt
DEMO    ?= opcost-results-demo-$(shell date +%Y%m%d-%H%M%S)

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEPGUARD    := github.com/OpenPeeDeeP/depguard/v2/cmd/depguard@v2.2.1
GOTESTSUM   := gotest.tools/gotestsum@v1.13.0

CORPUS_TESTS := Case|Corpus|Published|Folds|SampleCounts|OddInputs|Servers$$|Inferno|RealDiff|OldStatus|Mext|EveryProblem|HeaderOnly|TestReadings$$|TestParseJSONForms|TestCheck$$|OddWindows|RefusedOption

.PHONY: build dist reference demo four-servers test test-long fuzz test-unit test-pmu test-pmu-short corpus bench lint clean

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X main.version=$(VERSION)" -o $(BIN)/opcost ./cmd/opcost

dist: build
	@rm -rf $(DIST) && mkdir -p $(DIST)
	$(BIN)/opcost man >$(DIST)/opcost.1
	for shell in bash zsh fish; do $(BIN)/opcost completion $$shell >$(DIST)/opcost.$$shell || exit 1; done
	cp $(PAPERS) $(DIST)/
	for arch in amd64 arm64; do \
		name=opcost-$(VERSION)-linux-$$arch; \
		CGO_ENABLED=0 GOOS=linux GOARCH=$$arch $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o $(DIST)/$$name ./cmd/opcost && \
		tar -C $(DIST) -cf $(DIST)/$$name.tar.gz -I 'gzip -n' --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$(DATE) \
			--transform "s,^$$name,opcost,;s,^,$$name/," $$name opcost.1 opcost.bash opcost.zsh opcost.fish $(PAPERS) || exit 1; \
	done
	cd $(DIST) && sha256sum * >SHA256SUMS && cat SHA256SUMS

reference:
	$(GO) test -count=1 ./cmd/opcost -run TestReferenceCommands -update
	$(GO) test -count=1 ./perfctl/plan -run TestReference -update

demo: build
	@testbed/install.sh server perf valgrind
	@$(BIN)/opcost run examples/demo.yaml --out $(DEMO)

four-servers: build
	@testbed/install.sh perf valgrind
	@testbed/four-servers.sh $(BIN)/opcost $(subst demo,four-servers,$(DEMO))

# What measures time runs alone; of the rest, two packages at a time.
ALONE := ./cmd/opcost ./perfctl ./perfctl/live ./perfctl/workload ./collectors/perfstat ./collectors/proc \
	./collectors/threads ./collectors/record ./collectors/probe ./collectors/mysqlstatus ./collectors/internal/perfproc

test: lint
	@testbed/install.sh server perf valgrind sysbench mariadb-slap strace tmux chromium gcc readelf
	@failed=0; export OPCOST_TEST_ALL=1; \
	$(GO) test -p 2 -timeout 14m $$($(GO) list ./... | grep -vxF "$$($(GO) list $(ALONE))") || failed=1; \
	$(GO) test -p 1 -timeout 14m $(ALONE) || failed=1; \
	exit $$failed

# Known answers on live servers, faults, the guides: each takes up to some minutes.
# What fails is tried once more by itself: all of them take half an hour.
test-long: $(TOOLS)/gotestsum
	@testbed/install.sh server perf valgrind sysbench zsh fish groff mandoc
	OPCOST_TEST_ALL=1 OPCOST_TEST_LONG=1 $(TOOLS)/gotestsum --format testname --rerun-fails=1 --rerun-fails-max-failures=6 --packages="./cmd/opcost ./perfctl/..." \
		-- -p 1 -count=1 -timeout 45m -run 'Long|Narrow|KnownAnswer|Fault'

fuzz:
	@GO=$(GO) testbed/fuzz.sh 20s

# Without the set-up: what needs a missing tool is skipped, with the reason.
test-unit:
	$(GO) test ./...

test-pmu:
	@testbed/install.sh qemu-system-aarch64 cpio mmdebstrap depmod
	OPCOST_PMU=long $(GO) test ./testbed/ -count=1 -v -timeout 40m

# One plan, one start: proves the hardware path on every change.
test-pmu-short:
	@testbed/install.sh qemu-system-aarch64 cpio mmdebstrap depmod
	OPCOST_PMU=short $(GO) test ./testbed/ -count=1 -v -timeout 30m

# The tests that read the cases record which, and the last one adds up and writes
# docs/corpus.md.
corpus:
	@testbed/install.sh server perf
	@mkdir -p $(TOOLS) && rm -f $(TOOLS)/corpus
	OPCOST_TEST_ALL=1 OPCOST_CORPUS=$(TOOLS)/corpus $(GO) test -p 1 -count=1 -run '$(CORPUS_TESTS)' ./collectors/... ./profiles/... ./perfctl/...
	@OPCOST_CORPUS=$(TOOLS)/corpus OPCOST_CORPUS_DOC=$(CURDIR)/docs/corpus.md $(GO) test -count=1 -v ./testbed/corpus

bench: build
	@testbed/install.sh server perf valgrind sysbench
	@rm -f $(FIGURES)
	OPCOST_BENCH=1 OPCOST_BENCH_OUT=$(FIGURES) $(GO) test -p 1 -count=1 -timeout 30m -run 'Bench' -bench . -benchtime 1x -v ./...; \
	status=$$?; testbed/figures.sh $(FIGURES) docs/figures.md || exit 1; exit $$status

lint: $(TOOLS)/staticcheck $(TOOLS)/depguard
	@test -z "$$(gofmt -l .)" || { gofmt -l . | sed 's/^/not formatted (run gofmt -w): /' >&2; exit 1; }
	$(GO) vet ./...
	$(TOOLS)/staticcheck ./...
	$(TOOLS)/depguard ./...

$(TOOLS)/staticcheck:
	GOBIN=$(TOOLS) $(GO) install $(STATICCHECK)

$(TOOLS)/depguard:
	GOBIN=$(TOOLS) $(GO) install $(DEPGUARD)

$(TOOLS)/gotestsum:
	GOBIN=$(TOOLS) $(GO) install $(GOTESTSUM)

clean:
	rm -rf $(BIN) $(TOOLS)
