# Every entry point of the project. `make` lists them. Each target sets up what it needs the first time.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
RUNTIME := $(VENV)/.runtime
DEVELOPMENT := $(VENV)/.development
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r
BASE ?= origin/main
LOWEST := .venv-lowest
UV := $(VENV)/bin/uv
PIN := $(UV) pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-header

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build serve test test-lowest lint format check review comment comment-pictures verify bench schema screenshot clean lock upgrade release publish browser

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' Makefile

build: $(RUNTIME) ## Build the site into output/
	@$(PY) build.py build

serve: $(RUNTIME) ## Build, serve the site on this machine, and update open pages: make serve FLAGS="--open"
	@$(PY) build.py serve $(FLAGS)

test: $(DEVELOPMENT) browser ## Run all tests
	@$(PY) -m pytest -n 2

test-lowest: $(DEVELOPMENT) browser ## Run all tests with the oldest packages that pyproject.toml allows
	@$(UV) venv --quiet --seed --clear $(LOWEST)
	@$(UV) pip compile --quiet --resolution lowest-direct --python $(LOWEST) pyproject.toml --output-file $(LOWEST)/requirements.txt
	@sed /^-c/d requirements-dev.in > $(LOWEST)/tools.in
	@$(UV) pip install --quiet --compile-bytecode --python $(LOWEST) -r $(LOWEST)/requirements.txt -r $(LOWEST)/tools.in
	@$(LOWEST)/bin/python -m pytest -n 2

lint: $(DEVELOPMENT) ## Check style, formatting and types
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: $(DEVELOPMENT) ## Fix style and formatting automatically
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

check: $(RUNTIME) ## Build strictly, and fail if facts.lock would change
	@$(PY) build.py check$(if $(GITHUB_ACTIONS), --format github)

review: $(RUNTIME) ## Compare this version with another, into review/: make review BASE=origin/main
	@$(PY) build.py review $(FLAGS) "$(BASE)" $(HEAD)

comment: ## Post review/report.md as a comment on the pull request (for the CI workflow)
	@$(PYTHON) -m scenebook.review.comment review/report.md

comment-pictures: ## Publish review/pictures, to show them in the comment (for the CI workflow)
	@$(PYTHON) -m scenebook.review.comment_pictures review/pictures

verify: $(RUNTIME) ## Build twice without a cache, in different environments, and compare every byte
	@$(PY) build.py verify

bench: $(DEVELOPMENT) ## Compare build times with a short script: make bench FLAGS="--pages 1,10 --repeat 1"
	@$(PY) -m tests.bench $(FLAGS)

schema: $(RUNTIME) ## Write the schemas that help editors complete and check storyboards
	@$(PY) build.py schema

screenshot: $(DEVELOPMENT) browser build ## Take screenshot.png, the README's picture of the site
	@$(PY) -m tests.browser.screenshot

clean: $(RUNTIME) ## Remove the files that builds wrote, and nothing else
	@$(PY) build.py clean

lock: $(DEVELOPMENT) ## Pin the packages that pyproject.toml and requirements-dev.in name, keeping current pins where possible
	$(PIN) $(FLAGS) pyproject.toml --output-file requirements.txt
	$(PIN) $(FLAGS) requirements-dev.in --output-file requirements-dev.txt
	$(PIN) --no-annotate --constraints requirements.txt --constraints requirements-dev.txt \
		pyproject.toml starters/site/requirements.in --output-file starters/site/requirements.txt

upgrade: FLAGS := --upgrade
upgrade: lock ## Pin the newest releases that they allow

release: $(DEVELOPMENT) ## Build the wheel and the source archive of a release into dist/, and check them
	@$(PY) .github/release.py

publish: ## Make a GitHub release of dist/ for the tag (for the release workflow)
	@gh release create "$$GITHUB_REF_NAME" --repo "$$GITHUB_REPOSITORY" --verify-tag --title "$$GITHUB_REF_NAME" \
		--notes-file dist/notes.md dist/*.whl dist/*.tar.gz

browser: $(DEVELOPMENT) ## Find a Chromium for the tests, or install one
	@$(PY) -m tests.browser.chromium

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Scenebook needs Python 3.11 or newer: make PYTHON=python3.x ...")'
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf .venv; \
		echo "No virtual environment: install Python's venv module (on Debian and Ubuntu the package python3-venv)." >&2; exit 1; }

# These stamp files are newer than what was installed. A changed lock file or interpreter installs the packages again.
$(RUNTIME): requirements.txt $(PY)
	@echo "Installing requirements.txt into $(VENV)"
	@$(PIP_INSTALL) requirements.txt
	@touch $@

$(DEVELOPMENT): requirements-dev.txt $(RUNTIME)
	@echo "Installing requirements-dev.txt into $(VENV)"
	@$(PIP_INSTALL) requirements-dev.txt
	@touch $@
