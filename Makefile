# make run · make live · make notes · make run-server · make grpc · make test · make soak · make mutate · make sanitize · make lint · make evolution · make golden · make docs · make pages · make reference · make format · make bench · make bench-quick · make fuzz · make fuzz-record ·
# make install · make uninstall · make bundle · make clean
#
# Everything starts from nothing: what is missing is installed on Debian and Ubuntu, and named on macOS.

SWIFT ?= swift
EXAMPLE := Examples/PostExample
STORE ?= $(EXAMPLE)/posts.sqlite3
LIVE := Examples/LiveList
LIVE_STORE ?= $(LIVE)/players.sqlite3
NOTES := Examples/Notes
SERVER := Examples/PostServer
GRPC := Examples/GRPCPlugin
DFLATC := .build/debug/dflatc
RELEASE_DFLATC := .build/release/dflatc
# The packages that depend on this one are built in one folder, so that they share what is built of this one. Not in its own: the plan
# of a build there may be taken for that of another package, and nothing is built.
PACKAGES := .build-packages
SOURCES := Package.swift Scripts/bundle/Package.swift Sources Tests Plugins $(EXAMPLE)/Package.swift $(EXAMPLE)/Sources $(LIVE)/Package.swift $(LIVE)/Sources $(NOTES)/Package.swift $(NOTES)/Sources $(SERVER)/Package.swift $(SERVER)/Sources $(GRPC)/Package.swift $(GRPC)/Sources Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources Soak/Package.swift Soak/Sources Mutation/Package.swift Mutation/Sources

.DEFAULT_GOAL := help
PAIRS ?= 10000
STORE_PAIRS ?= $(shell echo $$(($(PAIRS) > 50 ? $(PAIRS) / 50 : 1)))
SEED ?= 1
PREFIX ?= /usr/local
# A dflatc that is built already, to be installed or bundled.
BINARY ?=
BUNDLE ?= .build-bundle
# Where the artifact bundle is published. Without it, the package of `make bundle` holds the bundle.
BUNDLE_URL ?=

.PHONY: help run live notes run-server grpc test soak mutate sanitize lint evolution golden docs pages reference format bench bench-quick fuzz fuzz-record install uninstall bundle clean dflatc benchmarks example-files tools server-tools test-tools

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The plan of a build does not notice files that are new in a package beside it: so it is made anew.
run: example-files ## Compile the example's schema, build the example, and run it
	@rm -f $(PACKAGES)/debug.yaml
	@$(SWIFT) build --quiet --package-path $(EXAMPLE) --scratch-path $(PACKAGES)
	@$(PACKAGES)/debug/PostExample $(STORE)

# The plug-in compiles its schema. Of LIVE_OPTIONS, `make live LIVE_OPTIONS=--help` tells.
live: tools ## Build a list in the terminal that follows what a thread and another process write, and show it
	@rm -f $(PACKAGES)/debug.yaml
	@$(SWIFT) build --quiet --package-path $(LIVE) --scratch-path $(PACKAGES)
	@$(PACKAGES)/debug/LiveList --file $(LIVE_STORE) $(LIVE_OPTIONS)

# With no arguments, it lists the notes; `make notes ARGUMENTS=--help` tells what else it does.
notes: tools ## Build the notes program, and run it with ARGUMENTS, such as ARGUMENTS='add "Buy milk" --tag home'
	@rm -f $(PACKAGES)/debug.yaml
	@$(SWIFT) build --quiet --package-path $(NOTES) --scratch-path $(PACKAGES)
	@cd $(NOTES) && $(CURDIR)/$(PACKAGES)/debug/Notes $(ARGUMENTS)

# It serves from the file posts.sqlite3, unless POSTS_DATABASE names a database; `make run-server ARGUMENTS=--help` tells the rest.
run-server: server-tools ## Build a server that stores and streams posts, and run it with ARGUMENTS, such as ARGUMENTS='--port 8081'
	@rm -f $(PACKAGES)/debug.yaml
	@$(SWIFT) build --quiet --package-path $(SERVER) --scratch-path $(PACKAGES)
	@cd $(SERVER) && $(CURDIR)/$(PACKAGES)/debug/PostServer $(ARGUMENTS)

# What the plug-in writes of the services is in git, and so reviewed; the rest of the generated Swift is not.
grpc: dflatc ## Build the plug-in for gRPC, rewrite the Swift of its example's services, and run server and client
	@rm -f $(PACKAGES)/debug.yaml
	@$(SWIFT) build --quiet --package-path $(GRPC) --scratch-path $(PACKAGES) --product dflatc-gen-grpc
	@for target in Orders Awkward; do \
	  $(DFLATC) compile -o $(GRPC)/Sources/$$target/Generated --clean --plugin grpc=$(PACKAGES)/debug/dflatc-gen-grpc \
	    $(GRPC)/Sources/$$target/*.fbs || exit 1; \
	done
	@$(SWIFT) build --quiet --package-path $(GRPC) --scratch-path $(PACKAGES)
	@$(PACKAGES)/debug/Orders
	@git diff --stat -- $(GRPC)

# So many tests at once as keep the processors busy. Without a limit, all of them are, and take twice as long: each waits for the
# others' locks and processes. Not every version of Swift has the option.
TEST_WIDTH = $(shell $(SWIFT) test --help-hidden 2>/dev/null | grep -q maximum-parallelization-width && \
  echo --experimental-maximum-parallelization-width $$((2 * $$(getconf _NPROCESSORS_ONLN))))

test: test-tools ## Build and run all tests
	$(SWIFT) build --build-tests
	@Scripts/run-tests.sh $(SWIFT) test --skip-build --parallel --disable-xctest $(TEST_WIDTH)
	@Scripts/test-packages.sh

# Each is a build of its own, which takes longer than the tests do.
sanitize: test-tools ## Run the runtime's tests, and those of the fuzz corpus, under ThreadSanitizer, then under AddressSanitizer
	@for sanitizer in thread address; do \
	  options="--sanitize=$$sanitizer --scratch-path .build-$$sanitizer"; \
	  export DFLAT_SANITIZED=1; \
	  $(SWIFT) build --build-tests $$options \
	    && LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/known-leaks.txt:print_suppressions=0 $(SWIFT) test --skip-build --disable-xctest $(TEST_WIDTH) $$options \
	      --filter 'SQLiteDflatTests|^DflatTests|FlatBuffersCoreTests|FuzzCorpusTests' || exit 1; \
	done

evolution: test-tools ## Prove the verdicts of `dflatc check` with data: PAIRS pairs of schemas from SEED on, STORE_PAIRS with stores
	$(SWIFT) build --build-tests
	DFLAT_PAIRS=$(PAIRS) DFLAT_STORE_PAIRS=$(STORE_PAIRS) DFLAT_SEED=$(SEED) $(SWIFT) test --skip-build --disable-xctest --filter ProofTests

lint: test-tools ## Check the layout of the source, and that it compiles without warnings
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	@Scripts/check-warnings.sh

format: ## Lay the source out
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

golden: dflatc ## Rewrite the golden output of every case under Fixtures/: read the difference before you commit it
	@for case in Fixtures/*/schema.fbs; do \
	  folder=$$(dirname $$case); \
	  chosen=$$(cat $$folder/emitters 2>/dev/null); \
	  $(DFLATC) compile $${chosen:+--emit $$chosen} -o $$folder $$folder/schema.fbs || exit 1; \
	done
	@$(DFLATC) compile -o Fixtures/diagram --emit diagram Fixtures/diagram/shop.fbs
	@$(DFLATC) compile -o Sources/SchemaPlugins --emit accessors Documentation/plugin.fbs Documentation/reflection.fbs
	@git diff --stat -- Fixtures Sources/SchemaPlugins

docs: pages reference ## Rewrite the generated pages of the documentation, and write the reference

pages: dflatc ## Rewrite the generated pages of the documentation
	@mkdir -p Documentation
	@$(DFLATC) explain --format markdown > Documentation/diagnostics.md.new
	@mv Documentation/diagnostics.md.new Documentation/diagnostics.md
	@$(DFLATC) explain --rules --format markdown > Documentation/evolution-rules.md.new
	@mv Documentation/evolution-rules.md.new Documentation/evolution-rules.md
	@$(DFLATC) explain --lint-rules --format markdown > Documentation/lint-rules.md.new
	@mv Documentation/lint-rules.md.new Documentation/lint-rules.md
	@git diff --stat -- Documentation

reference: test-tools ## Write the documentation and the runtime's reference, as a web site, to .build/reference
	@$(SWIFT) build --quiet --target SQLiteDflat
	@$(SWIFT) build --quiet --target PostgresDflat
	@Scripts/reference.sh

# All figures, each as a ratio in one run. The machine has to be left alone meanwhile.
bench: benchmarks ## Run all benchmarks, and write Benchmarks/REPORT.md
	@Benchmarks/.build/release/Benchmarks --compiler $(RELEASE_DFLATC) --report Benchmarks

bench-quick: benchmarks ## Print the main figures of the benchmarks, in less than two minutes
	@Benchmarks/.build/release/Benchmarks --compiler $(RELEASE_DFLATC) --quick

MINUTES ?= 10
# Without a seed, the time is one, and is printed.
SOAK_SEED ?=
SOAK := Soak/.build/debug/Soak
soak: test-tools ## Run the store's long tests side by side for MINUTES (10), from SOAK_SEED on, and write down what was tried
	$(SWIFT) build --build-tests
	@$(SWIFT) build --quiet --package-path Soak
	@$(SOAK) --minutes $(MINUTES) $(if $(SOAK_SEED),--seed $(SOAK_SEED)) --page Documentation/reliability.md

MUTANTS ?= 100
MUTATE ?= Sources
# Without a seed, the time is one, and is printed.
MUTATION_SEED ?=
mutate: test-tools ## Break MUTATE (Sources) in MUTANTS (100) small ways, and say which no test notices
	@$(SWIFT) build --quiet --package-path Mutation
	@Mutation/.build/debug/Mutation --mutants $(MUTANTS) --paths $(MUTATE) $(if $(MUTATION_SEED),--seed $(MUTATION_SEED))

FUZZ_SECONDS ?= 60
FUZZ ?=
fuzz: test-tools ## Feed each fuzz target, or those that FUZZ names, for FUZZ_SECONDS (60), from the saved corpus on
	@Scripts/fuzz.sh $(FUZZ_SECONDS) $(FUZZ)

FUZZ_INPUTS ?= 100000000
fuzz-record: test-tools ## Feed all fuzz targets in turn until FUZZ_INPUTS (10^8) are in the record, and write it down
	@Scripts/fuzz.sh --record $(FUZZ_INPUTS)

install: tools ## Install dflatc, its manual pages and shell completions below PREFIX (/usr/local), within DESTDIR
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' BINARY='$(BINARY)' SWIFT='$(SWIFT)' Scripts/install.sh install

uninstall: ## Remove what `make install` has installed
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' Scripts/install.sh uninstall

bundle: tools ## Write the package .build-bundle/dflat, whose plug-ins run a ready dflatc, and the zip file of its artifact bundle
	@BINARY='$(BINARY)' BUNDLE='$(BUNDLE)' BUNDLE_URL='$(BUNDLE_URL)' SWIFT='$(SWIFT)' Scripts/bundle.sh

clean: ## Remove what was built
	rm -rf .build .build-* $(EXAMPLE)/posts.sqlite3* $(LIVE)/players.sqlite3* $(NOTES)/notes.sqlite3* $(SERVER)/posts.sqlite3* Benchmarks/.build Fuzz/.build Soak/.build Mutation/.build

dflatc: tools
	@$(SWIFT) build --quiet --product dflatc

# As for `run`, the plan of the build is made anew.
benchmarks: test-tools
	@$(SWIFT) build --quiet -c release --product dflatc
	@Scripts/benchmark-header.sh
	@rm -f Benchmarks/.build/release.yaml
	@$(SWIFT) build --quiet -c release --package-path Benchmarks

example-files: dflatc
	@$(DFLATC) compile -o $(EXAMPLE)/Sources/PostExample/Generated $(EXAMPLE)/post.fbs

tools:
	@Scripts/install-tools.sh run

server-tools:
	@Scripts/install-tools.sh server

test-tools:
	@Scripts/install-tools.sh test
