# Every entry point of the project: `make` lists them. Each does its own set-up, once.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
RUNTIME := $(VENV)/.runtime
DEVELOPMENT := $(VENV)/.development
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r
BASE ?= origin/main
PIN := $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-header

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build test lint format check review comment verify bench schema screenshot clean lock upgrade browser

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' Makefile

build: $(RUNTIME) ## Build the site into output/
	@$(PY) build.py build

test: $(DEVELOPMENT) browser ## Run all tests
	@$(PY) -m pytest -n 2

lint: $(DEVELOPMENT) ## Check style, formatting and types
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: $(DEVELOPMENT) ## Mend style and formatting where that needs no thought
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

check: $(RUNTIME) ## Build strictly, facts.lock unchanged, and check every finished page
	@$(PY) build.py check

review: $(RUNTIME) ## Compare this tree with another version, into review/: make review BASE=origin/main
	@$(PY) build.py review $(FLAGS) "$(BASE)" $(HEAD)

comment: ## Write review/report.md under its pull request, in the workflow that may
	@$(PYTHON) .github/review_comment.py review/report.md

verify: $(RUNTIME) ## Build twice, cold, in different surroundings, and compare all bytes
	@$(PY) build.py verify

bench: $(DEVELOPMENT) ## Time builds against a short script: make bench FLAGS="--pages 1,10 --repeat 1"
	@$(PY) -m tests.bench $(FLAGS)

schema: $(RUNTIME) ## Write the schema by which editors complete and check storyboards
	@$(PY) build.py schema

screenshot: $(DEVELOPMENT) browser build ## Take the README's picture of the site, screenshot.png
	@$(PY) -m tests.browser.screenshot

clean: $(RUNTIME) ## Remove what builds wrote, and nothing else
	@$(PY) build.py clean

lock: $(DEVELOPMENT) ## Pin what requirements*.in ask for, keeping the pins that hold
	$(PIN) $(FLAGS) requirements.in --output-file requirements.txt
	$(PIN) $(FLAGS) requirements-dev.in --output-file requirements-dev.txt

upgrade: FLAGS := --upgrade
upgrade: lock ## Pin the newest releases that requirements*.in allow

browser: $(DEVELOPMENT) ## Find a Chromium for the tests, or install one
	@$(PY) -m tests.browser.chromium

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Scenebook needs Python 3.11 or newer: make PYTHON=python3.x ...")'
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf .venv; \
		echo "No virtual environment: install Python's venv module (on Debian and Ubuntu the package python3-venv)." >&2; exit 1; }

# A stamp is younger than all that it was made from; a changed lock or another interpreter makes it anew.
$(RUNTIME): requirements.txt $(PY)
	@echo "Installing requirements.txt into $(VENV)"
	@$(PIP_INSTALL) requirements.txt
	@touch $@

$(DEVELOPMENT): requirements-dev.txt $(RUNTIME)
	@echo "Installing requirements-dev.txt into $(VENV)"
	@$(PIP_INSTALL) requirements-dev.txt
	@touch $@
