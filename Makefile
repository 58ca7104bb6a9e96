# The two commands that matter: make book, make test. `make` alone explains all of them.
# Every slow step leaves a stamp only after it has succeeded: running again is cheap,
# and running again after a failure takes up where it failed.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# --- settings, e.g. `make serve PORT=9000` or `make book OUT=/tmp/draft` -------------
PYTHON ?=
PORT   ?= 8000
OUT    ?= .
JOBS   ?= 2

BIN    := .venv/bin
PY     := $(BIN)/python
ENV    := .venv/.ready
ASSETS := book/_static/vendor/.ready
HTML   := $(OUT)/_build/html
SITE   := $(OUT)/_build/.ready

NOTEBOOKS := $(wildcard book/*.ipynb)
LIBRARY   := $(shell find fairness_lib -type f -not -path '*/__pycache__/*' 2>/dev/null)
SOURCES   := _config.yml _toc.yml $(LIBRARY) \
             $(shell find book -type f -not -path 'book/_static/vendor*' \
                 -not -path '*/__pycache__/*' -not -path '*/.ipynb_checkpoints/*')

# No numerical library may start more threads than the processes that share the cores.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
# Nothing here needs PyPI's word on newer versions of pip.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Quiet, and the same on every machine: Python's debugger is not wanted in kernels.
export PYDEVD_DISABLE_FILE_VALIDATION := 1

.PHONY: help env assets book serve lab test test-quick test-wide test-notebooks test-site \
        test-install notebooks bench lint format clean distclean

help:  ## Say what each target does (the default)
	@echo "Usage: make TARGET"
	@echo
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' Makefile
	@echo
	@echo "PYTHON=python3.12 chooses an interpreter (3.11 to 3.13), PORT=8000 where 'serve'"
	@echo "listens, OUT=DIR puts _build/ elsewhere."

# --- environment -------------------------------------------------------------------
env: $(ENV)  ## Make .venv with all that the other targets need

$(ENV): requirements.txt requirements-dev.txt pyproject.toml
	@if ! $(PY) -c 'import pip' >/dev/null 2>&1; then \
	  for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11); do \
	    if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	        >/dev/null 2>&1; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$${found:-}" ]; then \
	    echo "No Python 3.11, 3.12 or 3.13 found: install one, or name it: make PYTHON=/path/to/python3" >&2; \
	    exit 1; \
	  fi; \
	  echo "Making .venv with $$($$found --version)"; \
	  rm -rf .venv; \
	  $$found -m venv .venv || { echo "(On Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }; \
	fi
	$(PY) -m pip install --quiet --requirement requirements-dev.txt
	@touch $@

assets: $(ASSETS)  ## Fetch and copy the web assets that the site serves itself

$(ASSETS): package.json package-lock.json tools/assets.py tools/editor.js $(ENV)
	$(PY) tools/assets.py
	@touch $@

# --- the book ----------------------------------------------------------------------
book: $(SITE)  ## Execute the notebooks and build the site; warnings are errors
	@echo
	@echo "The book is in $(HTML)/index.html: open that file in a browser, or run"
	@echo "  make serve$(if $(filter-out .,$(OUT)), OUT=$(OUT))"

$(SITE): $(SOURCES) $(ENV) $(ASSETS)
	@rm -rf $@ $(HTML)
	$(BIN)/jupyter-book build . --path-output $(OUT) --all -W --keep-going
	@touch $@

serve: $(SITE)  ## Serve the built site on localhost:PORT
	@echo "http://localhost:$(PORT)/ - stop with Ctrl-C"
	@$(PY) -m http.server $(PORT) --bind 127.0.0.1 --directory $(HTML)

lab: $(ENV)  ## Open the notebooks in JupyterLab
	$(BIN)/jupyter lab --notebook-dir . book

notebooks: $(ENV)  ## Re-execute all notebooks in place and normalise them
	$(PY) tools/notebooks.py $(NOTEBOOKS)

# --- tests -------------------------------------------------------------------------
test: test-quick  ## Run all tests, building whatever they need
	@$(MAKE) --no-print-directory --jobs 2 JOBS=1 test-wide book  # which use one core each
	@$(MAKE) --no-print-directory test-notebooks test-site

test-quick: $(ENV)  ## Library tests and doctests only
	$(PY) -m pytest -n $(JOBS) -m "not (site or browser or wide)"

test-wide: $(ENV)  ## The long searches of the library's tests
	$(PY) -m pytest -n $(JOBS) -m wide tests

test-notebooks: $(ENV)  ## Re-run every notebook and compare with its stored outputs
	$(PY) -m pytest --nbval --nbval-cell-timeout=120 -n $(JOBS) --dist loadfile book

test-site: $(SITE)  ## Look at the built site, and at the widgets, in a browser
	BOOK_HTML=$(HTML) $(PY) -m pytest -m "site or browser" -n $(JOBS) tests

test-install: $(ENV)  ## Execute every notebook in new environments, as Binder and Colab make them
	$(PY) tools/installs.py --jobs $(JOBS)

bench: $(ENV)  ## Time the library, side by side with others
	$(PY) -m benchmarks

lint: $(ENV)  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(ENV)  ## Put code into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# --- tidying up ----------------------------------------------------------------------
clean:  ## Remove what was built, keep the environment
	rm -rf $(OUT)/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
	find fairness_lib tests tools book -name __pycache__ -prune -exec rm -rf {} +

distclean: clean  ## Remove the environment and the web assets too
	rm -rf .venv node_modules book/_static/vendor
