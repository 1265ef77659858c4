# kevtools. `make help` lists the targets.

include config.mk

BUILD ?= build/release
VARIANT_CFLAGS ?= -O2 -g
VARIANT_LDFLAGS ?=
PROGRAM_LDFLAGS ?=

# The user's CFLAGS, CPPFLAGS and LDFLAGS come last: appended, never replaced.
ALL_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -DKEV_VERSION='"$(VERSION)"' -iquote common -iquote cmd -MMD -MP $(CPPFLAGS)
ALL_CFLAGS = -std=c11 -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR),-Werror) \
	$(VARIANT_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(VARIANT_LDFLAGS) $(LDFLAGS)

# ISA-L inflates in half of zlib's time; it is used if it is installed. ISAL= builds without it:
# asan and neon test zlib, and fuzz compares what ISA-L reads with what zlib reads.
ISAL ?= $(wildcard /usr/include/isa-l.h /usr/include/isa-l/igzip_lib.h)
ALL_CPPFLAGS += $(if $(ISAL),-DHAVE_ISAL)
# -lm: for statistics, gnuplot's bins, and a static libsqlite3.
LIBS = -lz -lm $(if $(ISAL),-lisal)
# Libraries that only the program of that name links, and the tests of its modules.
LIBS_opmap = -lyaml
LIBS_sqlite2tsv = -lsqlite3
LIBS_mksqlite = -lsqlite3
# SQLite could load extensions, which sqlite2tsv never lets it; in a static program the linker would warn.
PROGRAM_LIBS_sqlite2tsv = $(if $(filter -static,$(PROGRAM_LDFLAGS)),-Wl$(comma)--wrap=dlopen \
	-Wl$(comma)--defsym=__wrap_dlopen=abort)
comma := ,

# A peer of the benchmark, built if its library and a compiler are installed; SIMDJSON= leaves it out.
SIMDJSON ?= $(and $(wildcard /usr/include/simdjson.h),$(shell command -v $(firstword $(CXX))))

programs := $(sort $(patsubst cmd/%/,%,$(dir $(wildcard cmd/*/*.c))))
scripts := kreport op-comparison start-microbench
libraries := $(patsubst scripts/%,%,$(wildcard scripts/microbench/*.bash scripts/report/* scripts/cluster/*) completion/columns)
modules := $(patsubst common/%.c,%,$(wildcard common/*/*.c))
completions := kevtools.bash _kevtools
rules := kernel/classic.rules kernel/default.rules
units := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*/*.c))
fuzzers := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*/*.c))
benches := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))
manuals := $(wildcard man/*.[157])

all: $(programs:%=$(BUILD)/bin/%) $(scripts:%=$(BUILD)/bin/%) ## build the programs
all: $(libraries:%=$(BUILD)/share/kevtools/%)
all: $(completions:%=$(BUILD)/share/completion/%)
.PHONY: all

# Scripts for users are installed beside the programs that they call, the functions that they
# source in ../share/kevtools, with the scripts of kevranks(7).
share_mode = $$([ -x $< ] && echo 755 || echo 644)
$(scripts:%=$(BUILD)/bin/%): $(BUILD)/bin/%: scripts/% $(BUILD)/flags
	@mkdir -p $(@D)
	sed 's/@VERSION@/$(VERSION)/' $< >$@
	chmod 755 $@

$(libraries:%=$(BUILD)/share/kevtools/%): $(BUILD)/share/kevtools/%: scripts/%
	@mkdir -p $(@D)
	install -m $(share_mode) $< $@

$(BUILD)/share/completion/%: scripts/completion/% $(wildcard cmd/*/*.c) $(BUILD)/flags
	@mkdir -p $(@D)
	sed 's/@PROGRAMS@/$(programs) $(scripts)/' $< >$@

# What a program has beside its own file: modules, and files that are embedded. Their tests link it.
beside = $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(filter-out cmd/$1/$1.c,$(wildcard cmd/$1/*.c))) \
	$(wildcard cmd/$1/*.rules cmd/$1/*.peaks)))
folder = $(patsubst %/,%,$(dir $1))

.SECONDEXPANSION:
$(BUILD)/bin/%: $(BUILD)/cmd/$$*/$$*.o $$(call beside,$$*) $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_LDFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_$*) $(LIBS) $(PROGRAM_LIBS_$*)

$(BUILD)/libkev.a: $(modules:%=$(BUILD)/common/%.o) $(rules:%=$(BUILD)/common/%.o)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# Files as one string; ? is escaped, as ??= would be a trigraph.
embed = { echo 'const char $(1)[] ='; LC_ALL=C sed 's/[\\"?]/\\&/g; s/.*/"&\\n"/' $(filter-out %/flags,$^); echo ';'; } | \
	$(CC) $(ALL_CFLAGS) -x c -c -o $@ -

# A set of rules is a file, or a folder of files that are joined in the order of their names.
$(BUILD)/common/kernel/%.rules.o: $$(sort $$(wildcard common/kernel/$$*.rules common/kernel/$$*/*.rules)) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call embed,kclass_$*)

$(BUILD)/cmd/kroof/roof.%.o: cmd/kroof/roof.% $(BUILD)/flags
	@mkdir -p $(@D)
	$(call embed,roof_$*)

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $$(call beside,$$(call folder,$$*)) $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LIBS_$(call folder,$*)) $(LIBS)

$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $$(call beside,$$(call folder,$$*)) $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS_$(call folder,$*)) $(LIBS)

$(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_$*) $(LIBS)

# As a peer it may be as fast as it can on this processor.
$(BUILD)/bench/simdjson: tests/bench/peers/simdjson.cc
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O3 -march=native -Wall -Wextra -Wshadow -Wconversion \
		$(if $(WERROR),-Werror) $(CXXFLAGS) -o $@ $< -lsimdjson

# Loaded into programs by LD_PRELOAD, see tests/check/faults.c and narrow.c.
$(BUILD)/check/%.so: tests/check/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -fPIC -shared $(ALL_LDFLAGS) -o $@ $< -ldl

# The programs use calls of Linux, such as getrandom, pipe2 and O_TMPFILE.
SYSTEM ?= $(shell uname -s)

# New flags compile everything again.
$(BUILD)/flags: FORCE
	@[ '$(SYSTEM)' = Linux ] || { echo 'kevtools needs Linux, and this is $(SYSTEM):' \
		'build it in a container or a virtual machine, or use the archive of make static there' >&2; exit 1; }
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PROGRAM_LDFLAGS) $(ALL_LDFLAGS) $(LIBS)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

FORCE:
.PHONY: FORCE
.SECONDARY:

# README's two commands install the packages that they need; other targets only report them.
DEPS ?= --check --lint
deps: ## install missing packages for building, testing and linting
	@scripts/bootstrap $(DEPS)

demo: ## install missing packages, build, ask sample traces where time goes
	@$(MAKE) --no-print-directory deps DEPS=
	@$(MAKE) --no-print-directory -s all
	@PATH="$(abspath $(BUILD))/bin:$$PATH" scripts/demo

check: ## install missing packages, build, run every test
	@$(MAKE) --no-print-directory deps DEPS=--check
	@$(MAKE) --no-print-directory check-built

units: $(units:%=$(BUILD)/unit/%)

# Building the benchmark's programs, too, shows when they no longer compile.
check-built: bench-built units $(BUILD)/check/faults.so
	@BUILD=$(BUILD) tests/all

# The inner loop of work on one program.
check-%: all ## build, run the tests of one program: make check-kgroup
	@$(MAKE) --no-print-directory $(patsubst %,$(BUILD)/unit/%,$(filter $*/%,$(units)))
	@BUILD=$(BUILD) tests/all --quick $*

# For packagers, too: debhelper calls it.
test: all units ## build, run the tests that take seconds, install nothing
	@BUILD=$(BUILD) tests/all hcomdedup
	@BUILD=$(BUILD) tests/examples

faults: all $(BUILD)/check/faults.so ## fail each call of small runs of all programs, one at a time
	@BUILD=$(BUILD) tests/check/faults.py

debug: ## build for a debugger
	@$(MAKE) --no-print-directory all units BUILD=build/debug VARIANT_CFLAGS='-O0 -g3'

asan: ## run every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/bootstrap --report --check
	@KEV_VARIANT=asan $(MAKE) --no-print-directory check-built BUILD=build/asan ISAL= SIMDJSON= \
		VARIANT_CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all' \
		VARIANT_LDFLAGS='-fsanitize=address,undefined'

# A program that ends with an error does not wait for its threads.
tsan: ## run the cases of trace2tsv, with many chunks, under ThreadSanitizer
	@scripts/bootstrap --report --check
	@$(MAKE) --no-print-directory all BUILD=build/tsan SIMDJSON= WERROR= \
		VARIANT_CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=thread' VARIANT_LDFLAGS=-fsanitize=thread
	@for chunk in '' 300 5000; do \
		BUILD=build/tsan KEV_VARIANT=asan KEV_CHUNK=$$chunk TSAN_OPTIONS=report_thread_leaks=0 \
			tests/run tests/cli/trace2tsv tests/pipe/live.case || exit 1; \
	done

COVERAGE_LIMIT ?= 95
coverage: ## run unit tests and cases of programs, print line coverage; fail below COVERAGE_LIMIT (95) percent
	@scripts/bootstrap --report --check
	@rm -rf build/coverage
	@KEV_VARIANT=coverage GCOV_ERROR_FILE=/dev/null $(MAKE) --no-print-directory check-built \
		BUILD=build/coverage SIMDJSON= VARIANT_CFLAGS='-O0 -g --coverage' VARIANT_LDFLAGS=--coverage
	@scripts/coverage build/coverage $(COVERAGE_LIMIT)

portable: ## build without SIMD instructions, test the programs that read text
	@scripts/bootstrap --report --check
	@$(MAKE) --no-print-directory portable-built BUILD=build/portable CPPFLAGS='-DKEV_PORTABLE $(CPPFLAGS)'

portable-built: all units
	@BUILD=$(BUILD) KEV_VARIANT=portable tests/all csv2tsv kgroup
	@BUILD=$(BUILD) KEV_VARIANT=portable KEV_SIMD=scalar tests/run tests/cli/trace2tsv

# Static programs start in half the time under qemu-user; there is no static libcmocka. If
# packages are missing, the tests are skipped: make deps DEPS='--neon $(ARM64)' installs them.
ARM64 ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kevtools/arm64
arm64_libraries := $(ARM64)/usr/lib/aarch64-linux-gnu
neon: ## build for aarch64, test the parsers under qemu-user
	@if scripts/bootstrap --report --neon $(ARM64); then \
		$(MAKE) --no-print-directory neon-built BUILD=build/neon/arm64 ISAL= \
			CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar CPPFLAGS=-isystem$(ARM64)/usr/include \
			VARIANT_LDFLAGS='-L$(arm64_libraries) -Wl,-rpath,$(arm64_libraries)' \
			PROGRAM_LDFLAGS=-static; \
	else \
		echo 'neon: skipped, as packages are missing'; \
		echo '0 passed, 0 failed, 1 skipped'; \
	fi

neon-built: all units
	@scripts/wrap $(BUILD) build/neon qemu-aarch64 -L /usr/aarch64-linux-gnu
	@BUILD=build/neon KEV_VARIANT=neon tests/all trace2tsv csv2tsv hcomdedup kgroup

bare: ## run demo and check in a new minimal Debian, make and try the package there, as root
	@scripts/bare

cluster: all ## run submit and ranks.mk on a cluster of Slurm, which it starts, as root
	@BUILD=$(BUILD) tests/cluster

FUZZ_SECONDS ?= 75
fuzz: ## fuzz every parser, FUZZ_SECONDS (75) each
	@scripts/bootstrap --report --lint
	@$(MAKE) --no-print-directory fuzz-built CC=clang BUILD=build/fuzz \
		VARIANT_CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
			-DMATCH_STATES_MAX=8' VARIANT_LDFLAGS='-fsanitize=address,undefined'

fuzz-built: $(fuzzers:%=$(BUILD)/fuzz/%)
	@BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) scripts/fuzz

# Both builds have one folder: a profile belongs to the path of its object.
pgo: ## build in build/pgo with profiles of made input, by gcc: quicker programs, the same output
	@rm -rf build/pgo
	@$(MAKE) --no-print-directory pgo-trained BUILD=build/pgo SIMDJSON= \
		VARIANT_CFLAGS='-O2 -g -fprofile-generate -fprofile-update=prefer-atomic' \
		VARIANT_LDFLAGS=-fprofile-generate
	@$(MAKE) --no-print-directory all BUILD=build/pgo \
		VARIANT_CFLAGS='-O2 -g -fprofile-use -fprofile-correction -Wno-missing-profile -Wno-maybe-uninitialized'

pgo-trained: bench-built
	@BUILD=$(BUILD) scripts/train

bench-built: all $(BUILD)/check/narrow.so $(benches:%=$(BUILD)/bench/%) $(if $(SIMDJSON),$(BUILD)/bench/simdjson)

bench: bench-built ## measure speed and memory against peers and limits
	@BUILD=$(BUILD) scripts/bench

lint: ## formatting, clang-tidy, cppcheck, shellcheck, mandoc -Tlint, headers, ranks
	@scripts/bootstrap --report --lint
	@scripts/lint

html: all ## make a web manual of the pages in build/release/html, by mandoc
	@scripts/bootstrap --report --html
	@rm -rf $(BUILD)/html
	@BUILD=$(BUILD) scripts/webmanual $(BUILD)/html
	@echo $(BUILD)/html/index.html

modules: ## list the modules, each with the first sentence of its header
	@scripts/modules

fmt: ## format the C sources
	clang-format -i cmd/*/*.[ch] common/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] tests/bench/peers/*.cc

# The folders of DESTDIR and PREFIX may have blanks in their names.
prefix = $(DESTDIR)$(PREFIX)
STRIP_PROGRAMS ?=
install: all ## install to DESTDIR PREFIX
	install -d "$(prefix)/bin"
	install $(STRIP_PROGRAMS) $(programs:%=$(BUILD)/bin/%) "$(prefix)/bin"
	install $(scripts:%=$(BUILD)/bin/%) "$(prefix)/bin"
	@for file in $(libraries); do \
		mode=$$([ -x scripts/$$file ] && echo 755 || echo 644); \
		echo "install $(prefix)/share/kevtools/$$file"; \
		install -d "$(prefix)/share/kevtools/$${file%/*}" && \
		install -m $$mode $(BUILD)/share/kevtools/$$file "$(prefix)/share/kevtools/$$file" || exit 1; \
	done
	install -d "$(DESTDIR)$(BASHCOMPDIR)" "$(DESTDIR)$(ZSHCOMPDIR)"
	@for p in $(programs) $(scripts); do \
		echo "install $(DESTDIR)$(BASHCOMPDIR)/$$p"; \
		install -m 644 $(BUILD)/share/completion/kevtools.bash "$(DESTDIR)$(BASHCOMPDIR)/$$p" || exit 1; \
	done
	install -m 644 $(BUILD)/share/completion/_kevtools "$(DESTDIR)$(ZSHCOMPDIR)"
	@for page in $(manuals); do \
		echo "install $$page $(DESTDIR)$(MANDIR)/man$${page##*.}"; \
		install -d "$(DESTDIR)$(MANDIR)/man$${page##*.}" && \
		install -m 644 $$page "$(DESTDIR)$(MANDIR)/man$${page##*.}" || exit 1; \
	done

install-strip: ## install, without what a debugger needs
	@$(MAKE) --no-print-directory install STRIP_PROGRAMS=-s

uninstall: ## remove the installed files
	@for p in $(programs) $(scripts); do rm -f "$(prefix)/bin/$$p"; done
	rm -rf "$(prefix)/share/kevtools"
	@for p in $(programs) $(scripts); do rm -f "$(DESTDIR)$(BASHCOMPDIR)/$$p"; done
	rm -f "$(DESTDIR)$(ZSHCOMPDIR)/_kevtools"
	@for page in $(manuals); do \
		rm -f "$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}"; \
	done

# Such programs run on every Linux of this processor. Debian has no static ISA-L.
STATIC ?= build/static
static_name = kevtools-$(VERSION)-linux-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
static: ## make an archive of static programs, pages and completion in build/static, to unpack anywhere
	@rm -rf $(STATIC)/archive
	@$(MAKE) --no-print-directory install-strip BUILD=$(STATIC) ISAL= SIMDJSON= PROGRAM_LDFLAGS=-static \
		DESTDIR=$(STATIC)/archive/$(static_name) PREFIX= >/dev/null
	@scripts/static $(STATIC)/archive/$(static_name) $(STATIC)/$(static_name).tar.gz

# Equal bytes each time: gzip -n writes no time, and no setting of git's user counts.
DIST ?= build/kevtools-$(VERSION).tar.gz
dist: ## make a source archive of HEAD in build/
	@mkdir -p $(dir $(DIST))
	git -c tar.umask=0022 -c tar.tar.gz.command='gzip -9n' archive \
		--prefix=kevtools-$(VERSION)/ -o $(DIST) HEAD

distcheck: dist ## build, test, install and uninstall that archive
	@scripts/distcheck $(DIST)

deb: dist ## make Debian packages of that archive in build/deb, checked by lintian
	@scripts/bootstrap --report --check --deb
	@scripts/deb $(DIST)

# The command keeps its quotes in the environment.
compile_commands.json: export COMMAND = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)
compile_commands.json: FORCE ## list for clangd how each source file is compiled
	@command=$$(printf '%s' "$$COMMAND" | sed 's/["\\]/\\&/g'); separator='['; \
	for file in $(wildcard cmd/*/*.c common/*/*.c tests/*/*.c tests/*/*/*.c); do \
		printf '%s\n{"directory": "%s", "file": "%s",\n "command": "%s -c %s"}' \
			"$$separator" '$(CURDIR)' "$$file" "$$command" "$$file"; \
		separator=,; \
	done >$@; echo ']' >>$@

clean: ## remove all built files
	rm -rf build compile_commands.json

help: ## this list
	@sed -n 's/^\([a-z_.%-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 24

.PHONY: deps demo check test units check-built bare cluster debug asan tsan coverage portable portable-built
.PHONY: pgo pgo-trained neon neon-built faults fuzz fuzz-built bench bench-built lint html modules fmt install install-strip uninstall static
.PHONY: dist distcheck deb clean help

-include $(wildcard $(foreach part,cmd/* common/* tests/* tests/*/*,$(BUILD)/$(part)/*.d))
