# SPDX-License-Identifier: Apache-2.0
# The front door: every target is one script or one cmake preset. `make help` lists them.

PREFIX ?= /usr/local
LIBDIR ?= lib
# `make APT=no` installs no packages: it says what is missing.
APT ?= yes
export PREFIX LIBDIR DESTDIR APT

.NOTPARALLEL:
.PHONY: all build run test test-quick test-long check bench install uninstall wheel deb dist docs format lint clean help

all: build

build: ## build the program: build/weir
	@scripts/build release

run: ## build, analyse the bundled Multi AI Ultrasound pipeline, write a report about it
	@scripts/run

test: ## build and run the quick and full tests, check the format, run clang-tidy on what changed
	@scripts/test full

check: ## what test leaves out: sanitizers, fuzzing, clang-tidy on every file
	@scripts/test check

test-quick: ## build and run the tests that take seconds
	@scripts/test quick

test-long: ## build and run the long campaigns
	@scripts/test long

bench: ## build and run the benchmarks
	@scripts/build bench bench_edf bench_exact bench_explore bench_gpu_plan bench_partition bench_priority bench_run bench_startup weir
	@build/bench/bench/bench_startup build/bench/weir examples/multi-ai-ultrasound.yaml
	@build/bench/bench/bench_exact
	@build/bench/bench/bench_priority
	@build/bench/bench/bench_edf
	@build/bench/bench/bench_gpu_plan
	@build/bench/bench/bench_explore
	@build/bench/bench/bench_partition
	@build/bench/bench/bench_run

install: build ## install under PREFIX (/usr/local), staged in DESTDIR
	@scripts/install

uninstall: build ## remove what install put there
	@scripts/install --remove

wheel: build ## leave the Python package with the library in dist/weir-*.whl
	@scripts/wheel build/release dist

deb: ## leave packages for Debian in dist/
	@scripts/install-dependencies package
	@scripts/deb dist

dist: ## leave the sources of the last commit in dist/weir-*.tar.gz
	@scripts/dist dist

docs: build ## render the documentation for a browser: build/docs/index.html
	@scripts/install-dependencies docs
	@scripts/docs build/weir build/docs

format: ## format the C files in place
	@scripts/lint --fix

lint: ## check formatting, run clang-tidy
	@scripts/lint

clean: ## remove everything that was built
	rm -rf build dist

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
