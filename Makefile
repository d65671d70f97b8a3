# Everything starts from nothing: what is missing is installed on Debian and Ubuntu, and named on macOS.
# `make help` lists the targets. Other folders have Makefiles of their own: `Examples`, `Packaging` (packages of dflatc),
# `Editors`, and `Quality` (benchmarks, long tests, fuzzing, mutation).

SWIFT ?= swift
EXAMPLE := Examples/PostExample
STORE ?= $(EXAMPLE)/posts.sqlite3
DFLATC := .build/debug/dflatc
# The packages that depend on this one are built in one folder, so that they share what is built of this one. Not in its own: the plan
# of a build there may be taken for that of another package, and nothing is built.
PACKAGES := .build-packages
# The packages with Swift to lay out, each with a manifest and a folder of sources.
OTHER_PACKAGES := $(patsubst %,Examples/%,PostExample LiveList Notes PostServer GRPCPlugin) $(patsubst %,Quality/%,Benchmarks Fuzz Soak Mutation Traps) Integrations/ServerObservability
SOURCES := Package.swift Packaging/bundle/Package.swift Sources Tests Plugins $(foreach package,$(OTHER_PACKAGES),$(package)/Package.swift $(package)/Sources)

.DEFAULT_GOAL := help
PREFIX ?= /usr/local
# A dflatc that is built already. To install it, neither Swift nor libraries are needed.
BINARY ?=

.PHONY: help run install uninstall test packages ios lint format golden pages docs clean sanitize bench dflatc example-files tools test-tools

help: ## Say what there is
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / && $$1 != "help" { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf '\nOther folders have targets, too:\n\n'
	@printf '  make -C %-14s %s\n' 'Examples help' 'More examples' 'Packaging help' 'Packages of dflatc' \
	  'Editors help' 'Extensions for editors' 'Quality help' 'Benchmarks, long tests, fuzzing, mutation'

##@ Use it

# The plan of a build does not notice files that are new in a package beside it: so it is made anew.
run: example-files ## Compile the example's schema, build the example, and run it
	@rm -f $(PACKAGES)/debug.yaml
	@$(SWIFT) build --quiet --package-path $(EXAMPLE) --scratch-path $(PACKAGES)
	@$(PACKAGES)/debug/PostExample $(STORE)

install: $(if $(BINARY),,tools) ## Install dflatc, its manual pages and completions below PREFIX (/usr/local), within DESTDIR
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' BINARY='$(BINARY)' SWIFT='$(SWIFT)' Scripts/install.sh install

uninstall: ## Remove what `make install` has installed
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' Scripts/install.sh uninstall

##@ Change it

# So many tests at once as keep the processors busy. Without a limit, all of them are, and take twice as long: each waits for the
# others' locks and processes. Not every version of Swift has the option.
TEST_WIDTH = $(shell $(SWIFT) test --help-hidden 2>/dev/null | grep -q maximum-parallelization-width && \
  echo --experimental-maximum-parallelization-width $$((2 * $$(getconf _NPROCESSORS_ONLN))))

test: test-tools ## Build and run the tests of all modules, and of the editors
	@SWIFT='$(SWIFT)' Scripts/build-tests.sh
	@Scripts/run-tests.sh $(SWIFT) test --skip-build --parallel --disable-xctest $(TEST_WIDTH)
	@Scripts/test-editors.sh

packages: test-tools ## Build and run what depends on the package: examples, plug-ins, installed dflatc, Bazel, benchmarks
	$(SWIFT) build --build-tests
	@Scripts/test-packages.sh

# The tests run programs, which an app on iOS may not: they run on macOS and Linux.
ios: tools ## Build the runtime for the iOS simulator, with Xcode
	xcodebuild build -quiet -scheme DflatRuntime -destination 'generic/platform=iOS Simulator' \
	  -derivedDataPath .build-xcode -skipPackagePluginValidation

lint: test-tools ## Check the layout of the sources, and that they compile without warnings
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	@SWIFT='$(SWIFT)' Scripts/check-warnings.sh

format: ## Lay the sources out
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

golden: dflatc ## Rewrite the golden output under Fixtures: read the difference before you commit it
	@for case in Fixtures/*/schema.fbs; do \
	  folder=$$(dirname $$case); \
	  chosen=$$(cat $$folder/emitters 2>/dev/null); \
	  $(DFLATC) compile $${chosen:+--emit $$chosen} -o $$folder $$folder/schema.fbs || exit 1; \
	done
	@$(DFLATC) compile -o Fixtures/diagram --emit diagram Fixtures/diagram/shop.fbs
	@$(DFLATC) compile -o Sources/SchemaPlugins --emit accessors Documentation/plugin.fbs Documentation/reflection.fbs
	@git diff --stat -- Fixtures Sources/SchemaPlugins

pages: dflatc ## Rewrite the generated pages of the documentation
	@mkdir -p Documentation
	@$(DFLATC) explain --format markdown > Documentation/diagnostics.md.new
	@mv Documentation/diagnostics.md.new Documentation/diagnostics.md
	@$(DFLATC) explain --rules --format markdown > Documentation/evolution-rules.md.new
	@mv Documentation/evolution-rules.md.new Documentation/evolution-rules.md
	@$(DFLATC) explain --lint-rules --format markdown > Documentation/lint-rules.md.new
	@mv Documentation/lint-rules.md.new Documentation/lint-rules.md
	@git diff --stat -- Documentation

docs: test-tools pages ## Rewrite those pages, and write all pages and the reference as a web site, to .build/reference
	@$(SWIFT) build --quiet --target SQLiteDflat
	@$(SWIFT) build --quiet --target PostgresDflat
	@$(SWIFT) build --quiet --target DflatPublishers
	@Scripts/reference.sh

clean: ## Remove what was built
	rm -rf .build .build-* $(EXAMPLE)/posts.sqlite3* Quality/*/.build
	@$(MAKE) --no-print-directory -C Examples clean

##@ Prove it

# Each is a build of its own, which takes longer than the tests do.
sanitize: test-tools ## Run the runtime's tests and the fuzz corpus under ThreadSanitizer, then under AddressSanitizer
	@for sanitizer in thread address; do \
	  options="--sanitize=$$sanitizer --scratch-path .build-$$sanitizer"; \
	  export DFLAT_SANITIZED=1; \
	  $(SWIFT) build --build-tests $$options \
	    && LSAN_OPTIONS='suppressions="$(CURDIR)/Scripts/known-leaks.txt":print_suppressions=0' $(SWIFT) test --skip-build --disable-xctest $(TEST_WIDTH) $$options \
	      --filter 'SQLiteDflatTests|PostgresDflatTests|^TextFoldingTests|^DflatTests|DflatEngineTests|FlatBuffersCoreTests|FuzzCorpusTests' || exit 1; \
	done

bench: ## Run all benchmarks on a machine left alone, and write Quality/Benchmarks/REPORT.md
	@$(MAKE) --no-print-directory -C Quality bench

dflatc: tools
	@$(SWIFT) build --quiet --product dflatc

example-files: dflatc
	@$(DFLATC) compile -o $(EXAMPLE)/Sources/PostExample/Generated $(EXAMPLE)/post.fbs

tools:
	@Scripts/install-tools.sh run

test-tools:
	@Scripts/install-tools.sh test
