# Two commands, each with its own set-up: nothing is needed but Python 3.11 or later, pip, git and make.
#
#   make site    check every claim, then build the site into site/
#   make test    lint, types, the cheap probes again, unbound numbers, claims that could not fail, and tests
#   make env     what `make test` runs in, and nothing else: a `.venv` to activate and work in
#   make explore the property tests with examples that no run has drawn before
#   make fuzz    KIND=trees (tables, profiles, traces, logs, binary, pages) for SECONDS=600, guided by coverage
#
# PYTHON chooses the interpreter (make test PYTHON=python3.12), VENV where the environment is made.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RECIPES := pyproject.toml constraints.txt

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1

# Many tests start a program: without its bytecode each would compile it anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help site env test lint claims plants tests explore fuzz clean

help:
	@sed -n 's/^#   //p' Makefile

site: $(VENV)/.installed-site
	@echo 'make site: the build runs the cheap probes again beside the evidence;'
	@echo '  those that need torch are reported as not run here, `make test` runs them'
	$(BIN)/stilltrue check
	$(BIN)/mkdocs build --strict

env: $(VENV)/.installed-test

# Side by side, because none of these keeps two cores busy on its own; the tests take longest and end last.
test: $(VENV)/.installed-test
	$(MAKE) --no-print-directory --jobs=2 lint claims
	$(MAKE) --no-print-directory --jobs=2 plants tests

lint: $(VENV)/.installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

claims: $(VENV)/.installed-test
	$(BIN)/stilltrue check --rerun cheap
	$(BIN)/stilltrue coverage

plants: $(VENV)/.installed-test
	$(BIN)/stilltrue mutate

tests: $(VENV)/.installed-test
	$(BIN)/pytest -n auto --dist worksteal -rs

explore: $(VENV)/.installed-test
	STILLTRUE_EXPLORE=1 $(BIN)/pytest -n auto --dist worksteal -m hypothesis

KIND ?= trees
SECONDS ?= 600

fuzz: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet 'atheris>=3.0'
	cd tests && $(abspath $(BIN))/python fuzz_run.py $(KIND) $(SECONDS) ../.stilltrue/fuzz/$(KIND)

clean:
	rm -rf $(VENV) site .stilltrue

# What the tests need holds what the site needs, so the larger installation serves both.
$(VENV)/.installed-site: $(RECIPES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[site]'
	touch $@

$(VENV)/.installed-test: $(RECIPES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[site,playbook,readers,dev]'
	touch $(VENV)/.installed-site $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $(PYTHON) is no Python of 3.11 or later; name another: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }
