# The targets people type; what they do is in CMakeLists.txt and tools/.
#   make            build the library and tools in build/ (no tests: make check)
#   make airfoil    from a fresh clone to a checked result: installs what is
#                   missing, builds, makes the mesh, runs 1000 iterations
#   make check      every suite; ends with "N passed, N failed"
#   make quick      the suites to run before each commit: layers, format, documents,
#                   units, IR, and whether planted faults still find their lines
#   make fuzz       random programs from a fresh seed, until stopped
#   make mutants    plant faults, one by one: which check catches each?
#   make fuzz-ir    the trace IR's parser and passes, by libFuzzer, until stopped
#   make deb        Debian packages of the build, in build/packages
#   make site       the documents as a web site, in build/site (static pages)
#   make bench      measure and write the table of README.md
#   make bench-mpi  ranks against threads: the tables of doc/mpi.md
BUILD = build
PREFIX = /usr/local
CMAKE_FLAGS =
SITE = $(BUILD)/site
JOBS = $(shell nproc)

all: $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja:
	tools/install-deps.sh build
	cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS)

benchmarks: all
	cmake --build $(BUILD) -j $(JOBS) --target benchmarks

airfoil:
	tools/airfoil.sh $(BUILD)

check:
	tools/install-deps.sh check
	tools/check.sh

quick:
	tools/install-deps.sh check
	TIDY_SECONDS=20 tools/check.sh \
	  layers format configure mutants build-gcc docs unit-gcc irt-gcc traces tidy

bench:
	tools/install-deps.sh bench
	$(MAKE) benchmarks
	python3 bench/run.py $(BUILD)

# Shares of regions, bandwidth, what each pass contributes: bench/results/tables.md.
bench-report: benchmarks
	python3 bench/report.py $(BUILD)

# Ranks against threads: doc/mpi.md.
bench-mpi: benchmarks
	python3 bench/ranks.py $(BUILD)
	python3 bench/scaling.py $(BUILD)

# Random programs until stopped, or until ten have failed; see doc/testing.md.
fuzz: $(BUILD)/build.ninja
	cmake -S . -B $(BUILD) -DOP2_TESTS=ON
	cmake --build $(BUILD) -j $(JOBS) --target random_programs
	$(BUILD)/test/random/random_programs --time 0 --fresh 1e9 --out $(BUILD)

# Faults planted into a copy of the sources; see doc/testing.md.
mutants:
	tools/install-deps.sh check
	test/mutants/run.sh build-check/mutants

fuzz-ir:
	cmake -S . -B $(BUILD)-fuzz -G Ninja -DCMAKE_C_COMPILER=clang-19 \
	  -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Debug \
	  -DOP2_SANITIZE=address,undefined
	cmake --build $(BUILD)-fuzz --target fuzz_ir -j $(JOBS)
	test/fuzz/run.sh $(BUILD)-fuzz -seed=0

format:
	tools/format.sh
format-check:
	tools/format.sh --check
tidy:
	tools/tidy.sh
layers:
	tools/layers.sh
docs-check:
	tools/docs.sh --check
docs:
	tools/docs.sh

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

# Debian packages of the build, in its folder packages/ (tools/cmake/package.cmake).
deb: all
	tools/install-deps.sh deb
	cd $(BUILD) && cpack -G DEB -B packages

site:
	tools/install-deps.sh site
	mkdir -p $(BUILD)
	tools/site.py $(SITE)

clean:
	rm -rf $(BUILD) build-check

.PHONY: all airfoil benchmarks check quick bench bench-mpi bench-report fuzz fuzz-ir mutants \
	format format-check tidy layers docs docs-check install deb site clean
