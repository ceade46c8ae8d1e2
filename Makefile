# Thin shell around CMake and its presets: the targets that people type.

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 20
FUZZ_NIGHTLY_SECONDS ?= 3600
BUILD        := build/release
SANITIZED    := build/asan-ubsan
PACKAGE      := build/package
GROUSER      := $(BUILD)/bin/grouser
DEMO         := build/demo
PARTS        := tools/parts $(MAKE)
CTEST        := tools/ctest

.PHONY: help all demo test check nightly build install package clean \
        text test-build test-unit whole-build test-docs test-whole test-sanitized lint-changed fuzz \
        test-threads test-bits test-random test-studies test-attacks test-examples figures fuzz-nightly \
        lint format mutants bench bench-growth viewer playground fmu python docs

help:
	@echo 'Everybody:'
	@echo '  make demo                 install what is missing, build, and let a rover cross a field of rocks (2 minutes)'
	@echo '  make test                 test that build: units, properties, every command (8 minutes, 110 packages)'
	@echo '  make build                build $(GROUSER) with all optional parts'
	@echo '  make install PREFIX=/usr/local'
	@echo '  make package              Debian packages of library, headers, command and data'
	@echo '  make bench                speed against MuJoCo; make bench-growth: against time, wheels, rocks, cells, ruts'
	@echo 'Contributors:'
	@echo '  make check                all parts, browser, Python, FMU, ROS 2, pages, sanitizers, linters, fuzzers (25 minutes)'
	@echo '  make nightly              threads, compilers, studies, figures, mutants, long fuzzing (hours)'
	@echo '  make lint                 all linters over all sources; make format: rewrite the sources with clang-format'
	@echo '  make fuzz FUZZ_SECONDS=60 fuzz readers and writers of files; make fuzz-nightly: for an hour'
	@echo '  make mutants              put small faults into the code, one at a time: do the tests notice them?'
	@echo '  make viewer               build the page of the viewer after a change in viewer/src'
	@echo 'Further products:'
	@echo '  make playground           the simulator as WebAssembly, for grouser export playground; installs Emscripten'
	@echo '  make fmu                  binaries for grouser export fmu that need only the C library; installs cross compilers'
	@echo '  make python               the Python package as a wheel, in build/python'
	@echo '  make docs                 the documentation as a searchable site with the C API, in build/docs'
	@echo '  make clean                remove build/'

all: build

# Only what the demo needs is installed. Optional parts are in the build where their packages happen to be there.
demo:
	@tools/setup demo
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(BUILD) --target grouser_command
	@tools/demo $(GROUSER) $(DEMO) $(BUILD)/left_out.txt

# The three tiers. Each runs its parts, cheapest first, and ends with one line of counts (tools/parts).
test:
	@tools/setup demo test
	@$(PARTS) text test-build test-unit

check:
	@tools/setup build check
	@$(PARTS) whole-build test-docs test-whole test-sanitized lint-changed fuzz

nightly:
	@tools/setup build check nightly
	@$(PARTS) whole-build lint test-threads test-bits test-studies figures test-random test-attacks test-examples mutants fuzz-nightly

# Parts of `make test`.
text:
	@tools/lint --text

test-build:
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(BUILD) --target unit_tests

test-unit:
	@$(CTEST) $(BUILD) -LE check

# Parts of `make check`.
whole-build:
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=OFF
	@cmake --build $(BUILD)

lint-changed:
	@tools/lint --changed

# What the pages show, then the rest that `make test` leaves out. Some tests use what the test of the figures has computed.
test-docs:
	@$(CTEST) $(BUILD) -R '^docs/'

test-whole:
	@$(CTEST) $(BUILD) -L check -LE night -E '^docs/' -FS pages

# One build by clang for its warnings, for the tests under the address and undefined-behaviour sanitizers, and for the fuzzers.
test-sanitized:
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED)
	@$(CTEST) $(SANITIZED) -LE long

fuzz:
	@tools/setup build check
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED) --target fuzzers
	@cmake --build $(SANITIZED) --target fuzz_seeds >/dev/null
	@tools/fuzz $(FUZZ_SECONDS)

# Parts of `make nightly`.
test-threads:
	@cmake --preset tsan
	@cmake --build build/tsan --target sim_test_threads sim_test_late_stones scenario_test_world_cache record_test_sample_queue example_sweep_threads serve_test_feed serve_test_foxglove serve_test_foxglove_server serve_test_server campaign_test_runner campaign_test_helpers fmu_test_fmi2
	@$(CTEST) build/tsan -R "threads|test_late_stones|test_world_cache|test_sample_queue|serve/test_(feed|foxglove|server|foxglove_server)|campaign/test_(runner|helpers)|fmu/test_fmi2"

test-bits:
	@tools/check-bits gcc clang x86-64 x86-64-v3 aarch64

test-studies:
	@GROUSER_TEST_WHOLE=1 $(CTEST) $(BUILD) -L 'study|night'
	@$(BUILD)/tests/sim_test_settles all
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED)
	@GROUSER_TEST_WHOLE=1 $(CTEST) $(SANITIZED) -L 'long|study'
	@GROUSER_TEST_WHOLE=1 $(CTEST) $(SANITIZED) -R '^validation/test_published$$'

figures:
	@tools/doc-figures --check --long --grouser $(GROUSER)

test-random:
	@$(BUILD)/tests/random_scenarios 500 0 & first=$$!; $(BUILD)/tests/random_scenarios 500 500; \
		second=$$?; wait $$first && exit $$second

test-attacks:
	@tests/attack/attack.py $(CURDIR)/$(GROUSER) $(CURDIR) --count 1000 --seed "$$(date +%j)" --preload $(CURDIR)/$(BUILD)/tests/libfail_malloc.so
	@tests/attack/memory.py $(CURDIR)/$(GROUSER) $(CURDIR) $(CURDIR)/$(BUILD)/tests/libfail_malloc.so --count 1000

test-examples:
	@$(CTEST) $(BUILD) -R '^python/test_examples$$'

# An hour in all, two targets at a time: half of it under the sanitizers, half without them, ten times as fast.
fuzz-nightly:
	@tools/setup build check
	@cmake --preset asan-ubsan
	@cmake --build $(SANITIZED) --target fuzzers
	@cmake --build $(SANITIZED) --target fuzz_seeds >/dev/null
	@cmake --preset fuzz
	@cmake --build build/fuzz --target fuzzers
	@cmake --build build/fuzz --target fuzz_seeds >/dev/null
	@tools/fuzz $$(($(FUZZ_NIGHTLY_SECONDS) / 2)) --total --jobs 2 --build asan-ubsan
	@tools/fuzz $$(($(FUZZ_NIGHTLY_SECONDS) / 2)) --total --jobs 2 --build fuzz
	@cat build/fuzz-counts.txt

# Small faults (tests/mutants), each with the test that must notice it.
mutants:
	@tools/setup build check
	@tools/mutants

lint:
	@tools/setup build check
	@tools/lint

format:
	@tools/setup test
	@tools/lint --format

# A part whose packages are missing is left out, and `grouser --version` says so.
build:
	@tools/setup build
	@cmake --preset release -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(BUILD)

bench: build
	@tools/setup bench
	@cmake --preset release
	@cmake --build $(BUILD)
	@$(BUILD)/bin/grouser_bench
	@if [ -d $(BUILD)/python/grouser/lib ]; then PYTHONPATH=$(BUILD)/python $$(tools/python $(BUILD)) -B bench/environments.py; fi

# Growth with time, wheels, rocks, cells, cell size and ruts: about five minutes.
bench-growth: build
	@tools/bench-growth

# Installed files run on any machine of the architecture; build/release is tuned for this one. What was built before by
# `make python`, `make playground` and `make fmu` is installed, too.
install:
	@tools/setup build
	@cmake --preset package -DGROUSER_LEAVE_OUT_MISSING=ON -DGROUSER_ZSH_DIR=share/zsh/site-functions -UGROUSER_PYTHON_INSTALL_DIR
	@cmake --build $(PACKAGE)
	@cmake --install $(PACKAGE) --prefix $(PREFIX)

# Debian packages: the library, its headers, the command, the Python module, and the data that all need.
package:
	@tools/setup build python package
	@cmake --preset package -DGROUSER_LEAVE_OUT_MISSING=OFF -DGROUSER_ZSH_DIR=share/zsh/vendor-completions \
		-DGROUSER_PYTHON_INSTALL_DIR=lib/python3/dist-packages
	@cmake --build $(PACKAGE)
	@cd $(PACKAGE) && rm -f packages/*.deb && cpack -G DEB >cpack.log || { cat cpack.log; exit 1; }
	@ls $(PACKAGE)/packages/*.deb

viewer:
	@tools/setup viewer
	@tools/viewer

# The simulator inside a web page: grouser export playground writes it as one HTML file.
playground:
	@tools/setup build playground
	@tools/viewer install
	@tools/playground

# The binaries of functional mock-up units (FMI), for both architectures where the compilers are installed.
fmu:
	@tools/setup build fmu
	@tools/fmu

# The Python package: import grouser. For any machine of the architecture, as what is installed.
python:
	@tools/setup build python
	@cmake --preset package -DGROUSER_LEAVE_OUT_MISSING=ON
	@cmake --build $(PACKAGE) --target grouser_python grouser_python_sources
	@tools/python-wheel $(PACKAGE) build/python

# The pages of docs/, the C API out of the headers, and the pictures of the gallery, which the program draws.
docs: build
	@tools/setup docs
	@tools/site -o build/docs --grouser $(GROUSER)

clean:
	rm -rf build
