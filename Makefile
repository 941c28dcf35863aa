# Data catalogue: a PostgreSQL extension in C and a thin HTTP shim.  `make help` lists the targets.

EXTENSION  = catalogue
MODULE_big = catalogue
PG_CONFIG ?= pg_config
PREFIX    ?= /usr/local
warnings   = -Wall -Wextra -Werror -Wno-unused-parameter

OBJS       = $(patsubst %.c,build/%.o,$(sort $(wildcard extension/*/*.c extension/*/*/*.c))) build/npm/ground_cells.o
# Positions of the arguments of these functions, from the SQL files.
arguments  = build/extension/arguments.h
# Texts of pictures in each language.
picture_words = build/extension/picture_words.h
# Only functions that PostgreSQL calls are exported, since other loaded libraries may have functions of the same names.
SHLIB_LINK = -lcrypt -lcrypto -Wl,--version-script=extension/catalogue.map

# The files of the extension's script in their order: a line for each folder, from the lowest one to the uppermost, since
# a function calls those of its own folder and of the folders below it.
sources = $(addprefix extension/, \
	base/base.sql \
	rows/pictures/pictures.sql \
	pg/upkeep.sql \
	registry/registry.sql \
	call/call.sql call/consumers.sql call/web.sql \
	history/history.sql history/log_chain.sql history/statistics.sql \
	query/search.sql \
	read/read.sql read/describe.sql read/statistics.sql \
	account/account.sql account/secrets.sql account/consumer_admin.sql \
	rows/sheets/sheets.sql \
	write/write.sql write/addresses.sql write/user_data.sql write/questions.sql \
	files/blobs.sql files/objects.sql files/uploads.sql files/jobs.sql files/reparse.sql files/preview.sql files/fetches.sql \
	files/email.sql \
	rows/contents/contents.sql rows/contents/features.sql rows/contents/geography.sql rows/contents/points.sql \
	rows/contents/load.sql \
	rows/visuals/maps.sql rows/visuals/charts.sql rows/visuals/chart_drawing.sql rows/visuals/rows_picture.sql \
	select/query.sql select/geometry.sql \
	downloads/download.sql downloads/picture.sql downloads/archive.sql \
	events/events.sql events/webhooks.sql \
	module/tables.sql module/sweep.sql module/status.sql module/setup.sql \
	batch/batch.sql batch/undo.sql batch/preview.sql \
	documents/rdf.sql documents/vocabularies.sql documents/dcat.sql documents/places.sql documents/catalog.sql documents/oembed.sql documents/crawl.sql \
	documents/croissant.sql documents/csvw.sql documents/feed.sql documents/follow.sql documents/mail.sql documents/forms.sql documents/quality.sql documents/ogc.sql documents/openapi.sql \
	import/harvests.sql import/import.sql) \
	sql/expose.sql sql/schedule.sql sql/checks.sql sql/samples.sql sql/seed.sql sql/geography.sql sql/grants.sql
unlisted = $(filter-out $(sources),$(wildcard sql/*.sql extension/*/*.sql extension/*/*/*.sql))
$(if $(unlisted),$(error not in the list of the Makefile: $(unlisted)))

# Installed SQL: the extension's script, the tables that bootstrap() makes, both also of released versions, and the
# scripts of ALTER EXTENSION UPDATE.  A version "reload" is for development: an update to it and back repeats the script.
version    = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" catalogue.control)
script     = build/catalogue--$(version).sql
tables     = build/catalogue-tables--$(version).sql
released   = $(patsubst sql/released/%.gz,build/%,$(wildcard sql/released/*.gz))
updates    = $(patsubst sql/updates/%,build/catalogue--%,$(wildcard sql/updates/*.sql))
reload     = build/catalogue--$(version)--reload.sql build/catalogue--reload--$(version).sql
DATA_built = $(script) $(tables) $(released) $(updates) $(reload)

# The shim.  SANITIZE=1 builds it in another directory, with AddressSanitizer and UndefinedBehaviorSanitizer;
# FUZZ=1 builds it with these and for libFuzzer.
shim_build   = build$(if $(FUZZ),/libfuzzer,$(if $(SANITIZE),/sanitize))
shim         = $(shim_build)/catalogue-shim
shim_objects = $(patsubst %.c,$(shim_build)/%.o,$(sort $(wildcard shim/*.c shim/*/*.c))) $(shim_build)/static_files.o $(words_table).o
# The files of the page are compiled in, so that the shim reads no file when it serves them.
static_files = $(sort $(wildcard shim/page/static/*)) $(words)
# The texts of the page in English and in the language of each catalogue, for its scripts and as a table in C.
languages   = en $(subst _,-,$(basename $(notdir $(sort $(wildcard shim/po/*.po)))))
words       = $(languages:%=$(shim_build)/words-%.js)
words_table = $(shim_build)/words_table
# What maps of the page are made of: Leaflet, and what lies beneath the points, of which their pictures are made, too.
from_npm = build/npm/made
leaflet = /usr/share/javascript/leaflet
land    = extension/rows/pictures/land.c
shim_needs   = libmicrohttpd jansson libjwt libpq libcrypto zlib libcmark libcurl
# The worker: a separate program, so that the shim does not load its libraries.
worker         = $(shim_build)/catalogue-worker
worker_objects = $(patsubst %.c,$(shim_build)/%.o,$(sort $(filter-out shim/worker/gdal/%,$(wildcard shim/worker/*/*.c))))
worker_needs   = $(shim_needs) libzip expat libseccomp
# The directory of xlsxwriter's headers has a zip.h that is not libzip's, so only these files search it.
workbook_needs   = xlsxwriter
workbook_objects = $(patsubst %,$(shim_build)/shim/worker/formats/%.o,xlsx_write)
# libxml2 is for the requests of the worker only.
fetch_needs   = libxml-2.0
fetch_objects = $(patsubst %.c,$(shim_build)/%.o,$(sort $(wildcard shim/worker/fetch/*.c)))
# The reader of GDAL's formats: a program of its own, so that the worker does not load GDAL.  CATALOGUE_GEOGRAPHY=off
# leaves it out.
geo_reader         = $(if $(filter off,$(CATALOGUE_GEOGRAPHY)),,$(shim_build)/catalogue-geo-reader)
geo_reader_objects = $(patsubst %.c,$(shim_build)/%.o,$(sort $(wildcard shim/worker/gdal/*.c)))
geo_reader_needs   = gdal proj
# Debian's libraptor2-dev conflicts with libcurl4-openssl-dev: the library is linked by its file name.
rdf_library = -l:libraptor2.so.0
# PROGRAM_CFLAGS and PROGRAM_LDFLAGS are further options for shim and worker, such as those of a distribution.
sanitizers   = $(if $(SANITIZE)$(FUZZ),-fsanitize=address -fsanitize=undefined $(if $(FUZZ),-fsanitize=fuzzer-no-link))
hardening    = $(if $(SANITIZE)$(FUZZ)$(COVERAGE),,-D_FORTIFY_SOURCE=2 -fstack-protector-strong)
# COVERAGE=1 builds all for gcov; .ci/coverage does so in a copy of the project.
coverage     = $(if $(COVERAGE),-Og -Wno-error --coverage -fprofile-update=atomic)
coverage_ends = $(if $(COVERAGE),test/coverage/ends.c $(patsubst %,-Wl$(comma)--wrap=%,_exit setrlimit getrlimit seccomp_load))
comma        = ,

# These goals are scripts in .ci/ and need no PostgreSQL; all others are built by PGXS.
script_goals = help deps install run stop remove check check-full check-sanitized check-on check-cassert installcheck lint analyse format \
	demo screenshots bench faults fuzz scan coverage deb image sbom

ifneq ($(if $(DIRECT),,$(filter $(script_goals),$(MAKECMDGOALS))),)

parallel = -j$(shell nproc)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' Makefile

deps: ## install the Debian packages that are missing
	@.ci/deps build

all: ## build the extension and the shim (the default)
	@$(MAKE) DIRECT=1 all

install: ## build and install, with sudo where the directories require it
	@$(MAKE) DIRECT=1 all
	+@.ci/install

run: ## start the whole service in a private cluster (CATALOGUE_PORT, CATALOGUE_VAR, CATALOGUE_ADMIN_PASSWORD)
	@.ci/service run

stop: ## stop what `make run` started; the data stay
	@.ci/service stop

remove: ## stop what `make run` started, and remove it with its data
	@.ci/service remove

check: ## run the core of the tests on private servers: SQL, isolation, HTTP, parsers (TESTS=... narrows)
	@.ci/deps test
	@.ci/build
	@$(MAKE) -s $(parallel) install
	@$(MAKE) -s $(parallel) DIRECT=1 fuzz-targets
	@.ci/check $(TESTS)

check-full: ## run all tests, the core with sanitizers, static analysis, builds on other Debians (TESTS=... narrows, SHARD=2/6)
	@.ci/deps full
	@$(MAKE) -s $(parallel) install
	@$(MAKE) -s $(parallel) DIRECT=1 fuzz-targets
	@.ci/full $(TESTS)

check-sanitized: ## run the HTTP tests of the core and the parsers with sanitizers (TESTS=... narrows)
	@.ci/deps test
	@$(MAKE) -s $(parallel) install
	@$(MAKE) -s $(parallel) sanitize
	@.ci/check --sanitized $(TESTS)

check-on: ## run `make check` in a chroot of another Debian: RELEASE=bookworm, trixie or sid (TESTS=... narrows)
	@.ci/chroot "$(RELEASE)" make -s check TESTS="$(TESTS)"

check-cassert: ## run the SQL and isolation tests on a PostgreSQL with assertions (TESTS=... narrows)
	@.ci/cassert $(TESTS)

installcheck: ## run the SQL tests on the server that PGHOST, PGPORT and PGUSER name
	@.ci/regress $(TESTS)

lint: ## check layout, lines, shell, Perl and the structure of the programs
	@.ci/deps lint
	@.ci/lint

analyse: ## check the C files by both compilers, cppcheck and clang-tidy
	@.ci/deps analyse
	@.ci/lint analyse

format: ## lay out the C files
	@.ci/lint format

demo: ## fill a running service with the catalogue of a city: 300 datasets, and a year of statistics
	@test/demo/city
	@.ci/cluster psql -q -t < test/demo/year.sql

screenshots: ## make the pictures of the page in docs/images
	@.ci/deps full
	@$(MAKE) -s $(parallel) DIRECT=1 all
	@.ci/screenshots

bench: ## measure the speed, compare it with a bare server, other stacks and plain SQL, and write test/bench/RESULTS.md
	@test/bench/run --results test/bench/RESULTS.md

faults: ## make faults happen to a service under load, FAULT_ROUNDS=5 times each (TESTS=... narrows)
	@.ci/deps faults
	@$(MAKE) -s $(parallel) install
	@.ci/check --faults $(TESTS)

fuzz: ## search for inputs that break a parser, FUZZ_SECONDS=60 on each (TARGETS=... narrows)
	@.ci/deps fuzz
	@$(MAKE) -s $(parallel) DIRECT=1 FUZZ=1 CC=clang fuzz-targets
	@.ci/fuzz search $(TARGETS)

coverage: ## measure which lines and branches the tests execute, into build/coverage/report (TESTS=... narrows)
	@.ci/coverage $(TESTS)

scan: ## have sqlmap and wapiti attack a private service, and show their reports
	@.ci/deps build scan
	@$(MAKE) -s $(parallel) install
	@.ci/scan

deb: ## build the Debian packages in build/deb, and check them with lintian
	@.ci/deps build deb
	@.ci/packages/build

image: ## build images of containers in build/images, as root (IMAGES="shim worker" narrows)
	@.ci/deps build image
	@$(MAKE) -s $(parallel) all
	@.ci/images/build $(IMAGES)

sbom: ## write a software bill of materials, CycloneDX in JSON, to build/sbom.json
	@$(MAKE) -s $(parallel) DIRECT=1 all
	@.ci/packages/sbom catalogue.so build/catalogue-shim build/catalogue-worker $(wildcard build/catalogue-geo-reader) > build/sbom.json

sanitize: ## build the shim and the fuzzing targets with sanitizers in build/sanitize/
	@$(MAKE) DIRECT=1 sanitize

clean: ## remove what was built
	@$(MAKE) DIRECT=1 clean

.PHONY: $(script_goals) all sanitize clean

else

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq ($(wildcard $(PGXS)),)
$(error PostgreSQL's server headers are missing: run "make deps", or set PG_CONFIG)
endif

EXTRA_CLEAN = build
PG_CFLAGS   = $(warnings) -Wno-declaration-after-statement
PG_CPPFLAGS = -Iextension -I$(dir $(arguments)) -isystem $(shell $(PG_CONFIG) --includedir-server)
override with_llvm = no
COPT       += $(coverage)
include $(PGXS)
INSTALL = .ci/replace

library_flags = $(shell pkg-config --cflags $(1) | sed 's/-I/-isystem /g')

all: $(shim) $(worker) $(geo_reader)
sanitize:
	@$(MAKE) SANITIZE=1 DIRECT=1 programs
programs: $(shim) $(worker) $(geo_reader) fuzz-targets

catalogue.so: extension/catalogue.map

# The header stays as it is where the arguments do, so that another change of the SQL files compiles nothing.
$(OBJS): | $(arguments)
build/extension/rows/pictures/picture_words.o: $(picture_words)
$(picture_words): .ci/translate $(wildcard shim/po/*.po*) shim/po
	.ci/translate pictures $@
$(arguments): .ci/arguments $(sources)
	@mkdir -p $(@D)
	.ci/arguments $(sources) > $@.new
	@cmp -s $@.new $@ || cp $@.new $@

build/extension/%.o: extension/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(from_npm): .ci/from-npm .ci/ground shim/page/npm/package-lock.json
	.ci/from-npm
build/npm/ground_cells.c: $(from_npm) ;
build/npm/ground_cells.o: build/npm/ground_cells.c
	$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

compile_shim = $(CC) -std=c11 -D_GNU_SOURCE -O2 -g -pthread $(warnings) $(hardening) $(sanitizers) $(coverage) \
	$(PROGRAM_CFLAGS) -Ishim -Ishim/worker $(call library_flags,$(worker_needs)) -MMD -MP -c -o $@ $<

$(shim_build)/shim/%.o: shim/%.c
	@mkdir -p $(@D)
	$(compile_shim)
$(workbook_objects): worker_needs += $(workbook_needs)
$(fetch_objects): worker_needs += $(fetch_needs)
$(geo_reader_objects): worker_needs += $(geo_reader_needs)

# The directory is a prerequisite too, so that the code is made again when a file was removed.
$(shim_build)/static_files.c: .ci/embed $(static_files) $(land) $(from_npm) shim/page/static
	@mkdir -p $(@D)
	.ci/embed $(static_files) leaflet.js=$(leaflet)/leaflet.esm.min.js leaflet.css=$(leaflet)/leaflet.css land.js=$(land) build/npm/cells.js build/npm/protomaps.js build/npm/swagger.js build/npm/swagger.css build/npm/ground-*.js build/npm/places-*.js > $@.new
	@mv $@.new $@
$(shim_build)/static_files.o: $(shim_build)/static_files.c
	$(compile_shim)
# The directory is a prerequisite too, so that the code is made again when a catalogue was removed.
$(words) &: .ci/translate $(wildcard shim/po/*.po*) shim/po
	.ci/translate compile $(@D)
$(words_table).c: $(words)
$(words_table).o: $(words_table).c
	$(compile_shim)

$(shim): $(shim_objects)
	$(CC) -pthread $(sanitizers) $(coverage) -Wl,-z,relro,-z,now $(PROGRAM_LDFLAGS) -o $@ $^ $(shell pkg-config --libs $(shim_needs))

$(worker): $(worker_objects) $(shim_build)/base.a
	$(CC) -pthread $(sanitizers) $(coverage) -Wl,-z,relro,-z,now $(PROGRAM_LDFLAGS) -o $@ $^ $(coverage_ends) $(shell pkg-config --libs $(worker_needs) $(workbook_needs) $(fetch_needs)) $(rdf_library) -lm

$(geo_reader): $(geo_reader_objects) $(shim_build)/worker.a $(shim_build)/base.a
	$(CC) -pthread $(sanitizers) $(coverage) -Wl,-z,relro,-z,now $(PROGRAM_LDFLAGS) -o $@ $^ $(coverage_ends) -Wl,--as-needed $(shell pkg-config --libs $(worker_needs) $(geo_reader_needs)) -lm

# Fuzzing targets: one C file each, linked with all of shim and worker but main().  Without libFuzzer they take files.
fuzz_frame   = test/fuzz/fuzz.c $(if $(FUZZ),,test/fuzz/files.c)
fuzz_targets = $(patsubst test/fuzz/%.c,$(shim_build)/fuzz/%,$(filter-out test/fuzz/fuzz.c test/fuzz/files.c \
	$(if $(geo_reader),,test/fuzz/layers.c),$(wildcard test/fuzz/*.c)))
fuzz-targets: $(fuzz_targets)
$(shim_build)/shim.a: $(filter-out %/main.o,$(shim_objects))
# What both programs are made of; the worker has nothing else of the shim.
$(shim_build)/base.a: $(filter $(shim_build)/shim/base/%,$(shim_objects))
$(shim_build)/worker.a: $(filter-out %/main.o,$(worker_objects))
# What catalogue-geo-reader has besides.
$(shim_build)/gdal.a: $(filter-out %/main.o,$(geo_reader_objects))
$(shim_build)/fuzz/layers: $(shim_build)/gdal.a
$(shim_build)/fuzz/layers: fuzz_needs = $(geo_reader_needs)
$(shim_build)/%.a:
	@rm -f $@
	$(AR) rcs $@ $^
$(shim_build)/fuzz/%: test/fuzz/%.c $(fuzz_frame) test/fuzz/fuzz.h test/fuzz/frames.h $(shim_build)/worker.a $(shim_build)/shim.a
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O1 -g -pthread $(warnings) $(sanitizers) $(coverage) $(if $(FUZZ),-fsanitize=fuzzer) -Ishim -Ishim/worker \
		$(call library_flags,$(worker_needs) $(fuzz_needs)) -o $@ $< $(fuzz_frame) $(filter %/gdal.a,$^) \
		$(shim_build)/worker.a $(shim_build)/shim.a \
		$(shell pkg-config --libs $(worker_needs) $(workbook_needs) $(fetch_needs) $(fuzz_needs)) $(rdf_library) -lm

# What lists the files is a prerequisite too, so that a script is made again when a file was removed.
$(script): $(sources) Makefile
$(tables): $(sort $(wildcard sql/tables/*.sql)) sql/tables
$(script) $(tables):
	@mkdir -p $(@D)
	cat $(filter %.sql,$^) > $@
$(released): build/%: sql/released/%.gz
	@mkdir -p $(@D)
	gunzip -c $< > $@
$(updates): build/catalogue--%: sql/updates/% $(script) $(released) .ci/update-script
	cat $< > $@
	.ci/update-script $(script) build/catalogue--$(firstword $(subst --, ,$*)).sql >> $@
build/catalogue--$(version)--reload.sql: catalogue.control
	@mkdir -p $(@D)
	echo '-- The update from here to $(version) repeats the script.' > $@
build/catalogue--reload--$(version).sql: $(script) .ci/update-script
	.ci/update-script $(script) > $@

install: install-shim
install-shim: $(shim) $(worker) $(geo_reader)
	$(MKDIR_P) '$(DESTDIR)$(PREFIX)/bin'
	$(INSTALL_PROGRAM) $(shim) $(worker) $(geo_reader) '$(DESTDIR)$(PREFIX)/bin/'

uninstall: uninstall-shim ## remove what `make install` installed, as root
uninstall-shim:
	rm -f '$(DESTDIR)$(PREFIX)/bin/$(notdir $(shim))' '$(DESTDIR)$(PREFIX)/bin/$(notdir $(worker))' '$(DESTDIR)$(PREFIX)/bin/catalogue-geo-reader'

-include $(OBJS:.o=.d) $(shim_objects:.o=.d) $(worker_objects:.o=.d) $(geo_reader_objects:.o=.d)
.PHONY: sanitize programs install-shim uninstall-shim fuzz-targets

endif
