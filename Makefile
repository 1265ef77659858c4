# kevtools. `make help` lists the targets.

include config.mk

BUILD ?= build/release
VARIANT_CFLAGS ?= -O2 -g
VARIANT_LDFLAGS ?=
PROGRAM_LDFLAGS ?=

# The user's CFLAGS, CPPFLAGS and LDFLAGS come last: appended, never replaced.
ALL_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -DKEV_VERSION='"$(VERSION)"' -iquote common -MMD -MP $(CPPFLAGS)
ALL_CFLAGS = -std=c11 -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR),-Werror) \
	$(VARIANT_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(VARIANT_LDFLAGS) $(LDFLAGS)

# ISA-L inflates in half of zlib's time; it is used where it is there. ISAL= builds without,
# and so do asan and fuzz, so that both ways are tested.
ISAL ?= $(wildcard /usr/include/isa-l.h /usr/include/isa-l/igzip_lib.h)
ALL_CPPFLAGS += $(if $(ISAL),-DHAVE_ISAL)
LIBS = -lz $(if $(ISAL),-lisal)
# What only a program, unit test or fuzz target of that name links.
LIBS_opmap = -lyaml
LIBS_mapping = -lyaml
LIBS_yaml = -lyaml

# A peer of the benchmark, built where its library and a compiler are; SIMDJSON= leaves it out.
SIMDJSON ?= $(and $(wildcard /usr/include/simdjson.h),$(shell command -v $(firstword $(CXX))))

programs := $(patsubst cmd/%.c,%,$(wildcard cmd/*.c))
scripts := op-comparison start-microbench
modules := $(patsubst common/%.c,%,$(wildcard common/*/*.c))
rules := $(patsubst common/%,%,$(wildcard common/*/*.rules))
units := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
fuzzers := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
benches := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))
manuals := $(wildcard man/*.[157])

all: $(programs:%=$(BUILD)/bin/%) $(scripts:%=$(BUILD)/bin/%) ## build the programs
.PHONY: all

# Scripts for users: they stand and are installed beside the programs that they call.
$(scripts:%=$(BUILD)/bin/%): $(BUILD)/bin/%: scripts/%
	install -D -m 755 $< $@

$(BUILD)/bin/%: $(BUILD)/cmd/%.o $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(PROGRAM_LDFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(LIBS_$*)

$(BUILD)/libkev.a: $(modules:%=$(BUILD)/common/%.o) $(rules:%=$(BUILD)/common/%.o)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# The rules of kclass as one string, kclass_NAME; ? is escaped, as ??= would be a trigraph.
$(BUILD)/%.rules.o: %.rules $(BUILD)/flags
	@mkdir -p $(@D)
	{ echo 'const char kclass_$(*F)[] ='; LC_ALL=C sed 's/[\\"?]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } | \
		$(CC) $(ALL_CFLAGS) -x c -c -o $@ -

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LIBS) $(LIBS_$*)

$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS) $(LIBS_$*)

$(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libkev.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(LIBS_$*)

# For this very processor: as a peer it may be as fast as it can.
$(BUILD)/bench/simdjson: tests/bench/peers/simdjson.cc
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O3 -march=native -Wall -Wextra -Wshadow -Wconversion \
		$(if $(WERROR),-Werror) $(CXXFLAGS) -o $@ $< -lsimdjson

# What is compiled with other flags is compiled again.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PROGRAM_LDFLAGS) $(ALL_LDFLAGS) $(LIBS)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

FORCE:
.PHONY: FORCE
.SECONDARY:

demo: ## install what is missing, build, show M6 and the heaviest kernels of a sample
	@scripts/bootstrap
	@$(MAKE) --no-print-directory -s all
	@PATH="$(abspath $(BUILD))/bin:$$PATH" scripts/demo

check: ## install what the tests need, build, run every test
	@scripts/bootstrap --check
	@$(MAKE) --no-print-directory check-built

# The benchmark's programs are built, too, so that they do not rot.
check-built: bench-built $(units:%=$(BUILD)/unit/%)
	@BUILD=$(BUILD) tests/all

asan: ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/bootstrap --check
	@KEV_VARIANT=asan $(MAKE) --no-print-directory check-built BUILD=build/asan ISAL= SIMDJSON= \
		VARIANT_CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all' \
		VARIANT_LDFLAGS='-fsanitize=address,undefined'

# Without SIMD instructions where the programs do without a choice at run time.
portable: ## build in portable C, run the tests of what reads text
	@scripts/bootstrap --check
	@$(MAKE) --no-print-directory portable-built BUILD=build/portable CPPFLAGS='-DKEV_PORTABLE $(CPPFLAGS)'

portable-built: all $(units:%=$(BUILD)/unit/%)
	@BUILD=$(BUILD) KEV_VARIANT=portable tests/all csv2tsv kgroup
	@BUILD=$(BUILD) KEV_VARIANT=portable KEV_SIMD=scalar tests/run tests/cli/trace2tsv

# Where there is nothing to build it with, nor a network to get that from, it is skipped. The
# programs are static as they begin in half the time then, under qemu-user; there is no static
# libcmocka.
ARM64 ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kevtools/arm64
arm64_libraries := $(ARM64)/usr/lib/aarch64-linux-gnu
neon: ## build for aarch64, run the parser's tests under qemu-user
	@if scripts/bootstrap --neon $(ARM64); then \
		$(MAKE) --no-print-directory neon-built BUILD=build/neon/arm64 ISAL= \
			CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar CPPFLAGS=-isystem$(ARM64)/usr/include \
			VARIANT_LDFLAGS='-L$(arm64_libraries) -Wl,-rpath,$(arm64_libraries)' \
			PROGRAM_LDFLAGS=-static; \
	else \
		echo 'neon: skipped, as there is nothing to build it with'; \
		echo '0 passed, 0 failed, 1 skipped'; \
	fi

neon-built: all $(units:%=$(BUILD)/unit/%)
	@scripts/wrap $(BUILD) build/neon qemu-aarch64 -L /usr/aarch64-linux-gnu
	@BUILD=build/neon KEV_VARIANT=neon tests/all trace2tsv csv2tsv hcomdedup kgroup

FUZZ_SECONDS ?= 60
fuzz: ## fuzz every parser, FUZZ_SECONDS (60) each
	@scripts/bootstrap --check
	@$(MAKE) --no-print-directory fuzz-built CC=clang BUILD=build/fuzz ISAL= \
		VARIANT_CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
		VARIANT_LDFLAGS='-fsanitize=address,undefined'

fuzz-built: $(fuzzers:%=$(BUILD)/fuzz/%)
	@BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

bench-built: all $(benches:%=$(BUILD)/bench/%) $(if $(SIMDJSON),$(BUILD)/bench/simdjson)

bench: bench-built ## measure speed and memory against peers and limits
	@BUILD=$(BUILD) scripts/bench

lint: ## clang-tidy, cppcheck, shellcheck, mandoc -Tlint, headers, layers
	@scripts/bootstrap --check
	@scripts/lint

fmt: ## format the C sources
	clang-format -i cmd/*.c common/*/*.[ch] tests/*/*.c tests/bench/*.h tests/bench/peers/*.cc

install: all ## install to DESTDIR PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin
	install $(programs:%=$(BUILD)/bin/%) $(scripts:%=$(BUILD)/bin/%) $(DESTDIR)$(PREFIX)/bin
	@for page in $(manuals); do \
		echo "install $$page $(DESTDIR)$(MANDIR)/man$${page##*.}"; \
		install -d $(DESTDIR)$(MANDIR)/man$${page##*.} && \
		install -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.} || exit 1; \
	done

uninstall: ## remove what install put there
	@for p in $(programs) $(scripts); do rm -f $(DESTDIR)$(PREFIX)/bin/$$p; done
	@for page in $(manuals); do \
		rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; \
	done

dist: ## a source archive of HEAD
	git archive --prefix=kevtools-$(VERSION)/ -o kevtools-$(VERSION).tar.gz HEAD

clean: ## remove what was built
	rm -rf build kevtools-*.tar.gz

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: demo check check-built asan portable portable-built neon neon-built fuzz fuzz-built bench bench-built lint fmt
.PHONY: install uninstall dist clean help

-include $(wildcard $(BUILD)/cmd/*.d $(BUILD)/common/*/*.d $(BUILD)/tests/*/*.d)
