# Thin shell around CMake and its presets: the targets that people type.

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 20
FUZZ_NIGHTLY_SECONDS ?= 3600
BUILD        := build/release
SANITIZED    := build/asan-ubsan
PACKAGE      := build/package
GROUSER      := $(BUILD)/bin/grouser
DEMO         := build/demo
CTEST        := ctest --output-on-failure --no-tests=error -j $(shell getconf _NPROCESSORS_ONLN)

.PHONY: help all setup setup-build setup-lint build demo test build-release test-docs test-release test-sanitized test-threads test-bits fuzz fuzz-nightly bench bench-growth lint lint-text lint-code format \
        install package playground fmu python docs clean nightly mutants

help:
	@echo 'make demo                 install what is missing, build, and let a rover cross a field of rocks'
	@echo 'make test                 install what is missing, build, and run every test, the linters and the fuzzers'
	@echo 'make build                build $(GROUSER)'
	@echo 'make bench                build and run the benchmarks'
	@echo 'make bench-growth         measure how the cost grows with time, wheels, rocks, cells, ruts'
	@echo 'make lint                 clang-format, clang warnings, clang-tidy, cppcheck'
	@echo 'make format               rewrite the sources with clang-format'
	@echo 'make fuzz FUZZ_SECONDS=60 fuzz readers and writers of files'
	@echo 'make fuzz-nightly         the same for an hour, half of it without sanitizers'
	@echo 'make nightly              long studies: random scenarios, all rovers at rest on all soils, attacks with files'
	@echo 'make mutants              put small faults into the physics, one at a time: do the tests notice them?'
	@echo 'make install PREFIX=/usr/local'
	@echo 'make package              Debian packages of library, headers, command and data'
	@echo 'make playground           the simulator as WebAssembly, for grouser export playground; installs Emscripten'
	@echo 'make fmu                  binaries for grouser export fmu that need only the C library; installs cross compilers'
	@echo 'make python               the Python package as a wheel, in build/python'
	@echo 'make docs                 the documentation as a searchable site with the C API, in build/docs'
	@echo 'make clean                remove build/'

all: build

setup:
	@tools/setup build test python

setup-lint:
	@tools/setup lint

setup-build:
	@tools/setup build viewer

# Tests are built where what they need is installed; `make test` installs it.
build: setup-build
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(BUILD)

# Only what the demo needs is installed. Optional parts are in the build where their packages happen to be there.
demo:
	@tools/setup demo viewer
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(BUILD) --target grouser_command
	@tools/demo $(GROUSER) $(DEMO) $(BUILD)/left_out.txt

# Each part says how long it took, once more at the end: a table of what to shorten.
# What fails most often and costs least comes first: the layout of the sources, then words and commands in the pages.
# The recipe does not say MAKE itself: make -n would run such a line, and add to the table.
MAKE_PART  := $(MAKE) --no-print-directory
TEST_PARTS := lint-text build-release test-docs test-release lint-code test-sanitized test-threads test-bits fuzz
test: setup setup-lint
	@tools/tree-unchanged remember
	@mkdir -p build && rm -f build/test-times
	@for part in $(TEST_PARTS); do \
		begin=$$(date +%s); $(MAKE_PART) $$part || exit 1; \
		echo "$$part $$(($$(date +%s) - begin)) s" >>build/test-times; \
	done
	@tools/tree-unchanged check
	@echo 'make test: all passed'
	@cat build/test-times

build-release: setup
	@cmake --preset release
	@cmake --build $(BUILD)

# Only what the pages show.
test-docs: build-release
	@$(CTEST) --test-dir $(BUILD) -R '^docs/'

# All the rest. Some tests take what the test of the figures in the pages has computed.
test-release: build-release
	@$(CTEST) --test-dir $(BUILD) -E '^docs/' -FS pages

# One build by clang for its warnings, for the tests under the address and undefined-behaviour sanitizers, and for the fuzzers.
test-sanitized: setup setup-lint
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED)
	@$(CTEST) --test-dir $(SANITIZED) -LE long

# The thread sanitizer, for what runs in threads.
test-threads: setup
	@cmake --preset tsan
	@cmake --build build/tsan --target sim_test_threads sim_test_late_stones scenario_test_world_cache record_test_sample_queue example_sweep_threads serve_test_feed serve_test_foxglove serve_test_foxglove_server serve_test_server campaign_test_runner campaign_test_helpers fmu_test_fmi2
	@$(CTEST) --test-dir build/tsan -R "threads|test_late_stones|test_world_cache|test_sample_queue|serve/test_(feed|foxglove|server|foxglove_server)|campaign/test_(runner|helpers)|fmu/test_fmi2"

# The same bits with gcc and clang, with and without the instructions of this machine.
test-bits: setup setup-lint
	@tools/check-bits gcc clang

fuzz: setup setup-lint
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED) --target fuzzers
	@cmake --build $(SANITIZED) --target fuzz_seeds >/dev/null
	@tools/fuzz $(FUZZ_SECONDS)

# An hour in all, two targets at a time: half of it under the sanitizers, half without them, ten times as fast.
fuzz-nightly: setup setup-lint
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED) --target fuzzers
	@cmake --build $(SANITIZED) --target fuzz_seeds >/dev/null
	@cmake --preset fuzz
	@cmake --build build/fuzz --target fuzzers
	@cmake --build build/fuzz --target fuzz_seeds >/dev/null
	@tools/fuzz $$(($(FUZZ_NIGHTLY_SECONDS) / 2)) --total --jobs 2 --build asan-ubsan
	@tools/fuzz $$(($(FUZZ_NIGHTLY_SECONDS) / 2)) --total --jobs 2 --build fuzz
	@cat build/fuzz-counts.txt

bench: setup
	@cmake --preset release
	@cmake --build $(BUILD)
	@if [ -x $(BUILD)/bin/grouser_bench ]; then $(BUILD)/bin/grouser_bench; else echo 'no benchmarks in this tree yet'; fi
	@if [ -d $(BUILD)/python/grouser/lib ]; then PYTHONPATH=$(BUILD)/python python3 -B bench/environments.py; fi

# Growth with time, wheels, rocks, cells, cell size and ruts: about five minutes.
bench-growth: setup
	@cmake --preset release
	@cmake --build $(BUILD)
	@tools/bench-growth

# Long studies that CI has no time for: random scenarios in two processes, attacks, mutants, the long tests under the sanitizers.
nightly: setup setup-lint
	@tools/setup learning machines
	@cmake --preset release
	@cmake --build $(BUILD)
	@$(BUILD)/tests/random_scenarios 500 0 & first=$$!; $(BUILD)/tests/random_scenarios 500 500; \
		second=$$?; wait $$first && exit $$second
	@$(BUILD)/tests/sim_test_settles all
	@GROUSER_TEST_WHOLE=1 $(CTEST) --test-dir $(BUILD) -L study
	@tools/doc-figures --check --long --grouser $(GROUSER)
	@tools/lint --deep
	@tests/attack/attack.py $(CURDIR)/$(GROUSER) $(CURDIR) --count 1000 --seed "$$(date +%j)" --preload $(CURDIR)/$(BUILD)/tests/libfail_malloc.so
	@tests/attack/memory.py $(CURDIR)/$(GROUSER) $(CURDIR) $(CURDIR)/$(BUILD)/tests/libfail_malloc.so --count 1000
	@ctest --test-dir $(BUILD) -R '^python/test_examples$$' --output-on-failure
	@tools/mutants
	@tools/check-bits x86-64 x86-64-v3 aarch64
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED)
	@GROUSER_TEST_WHOLE=1 $(CTEST) --test-dir $(SANITIZED) -L 'long|study'
	@GROUSER_TEST_WHOLE=1 $(CTEST) --test-dir $(SANITIZED) -R '^validation/test_published$$'
	@$(MAKE) --no-print-directory fuzz-nightly

# Small faults in the physics (tests/mutants), each with the test that must notice it: a few minutes.
mutants: setup
	@tools/mutants

lint: setup setup-lint
	@tools/lint

lint-text: setup-lint
	@tools/lint --text

lint-code: setup setup-lint
	@tools/lint --code

format: setup-lint
	@tools/lint --format

# Installed files run on any machine of the architecture; build/release is tuned for this one.
install: setup-build
	@cmake --preset package -DGROUSER_LEAVE_OUT_MISSING=ON -DGROUSER_ZSH_DIR=share/zsh/site-functions
	@cmake --build $(PACKAGE)
	@cmake --install $(PACKAGE) --prefix $(PREFIX)

# Debian packages: the library, its headers, the command, and the data that both need.
package: setup-build
	@tools/setup package
	@cmake --preset package -DGROUSER_LEAVE_OUT_MISSING=OFF -DGROUSER_ZSH_DIR=share/zsh/vendor-completions
	@cmake --build $(PACKAGE)
	@cd $(PACKAGE) && rm -f packages/*.deb && cpack -G DEB >cpack.log || { cat cpack.log; exit 1; }
	@ls $(PACKAGE)/packages/*.deb

# The simulator inside a web page: grouser export playground writes it as one HTML file.
playground: setup-build
	@tools/setup playground
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(BUILD)
	@tools/playground

# The binaries of functional mock-up units (FMI), for both architectures where the compilers are installed.
fmu: setup-build
	@tools/setup fmu
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(BUILD)
	@tools/fmu

# The Python package: import grouser. For any machine of the architecture, as what is installed.
python: setup-build
	@tools/setup python
	@cmake --preset package -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(PACKAGE) --target grouser_python grouser_python_sources
	@tools/python-wheel $(PACKAGE) build/python

# The pages of docs/, the C API out of the headers, and the pictures of the gallery, which the program draws.
docs: build
	@tools/setup docs
	@tools/site -o build/docs --grouser $(GROUSER)

clean:
	rm -rf build
