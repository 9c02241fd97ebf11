# Everything a developer runs. Each target installs what it needs into .venv on first use.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
STAMP := $(VENV)/.installed

.PHONY: demo picture test check bench lock clean
.DEFAULT_GOAL := demo

$(STAMP): requirements/dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements/dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(STAMP)

demo: $(STAMP)  ## the language server on a real repository, printed as an editor shows it
	$(BIN)/python demo/run.py

picture: $(STAMP)  ## the README's picture, by the demo
	$(BIN)/python demo/run.py --svg docs/images/demo.svg server/memlens/core/lines.py server/memlens/storage/revisions.py

test: $(STAMP)  ## all tests
	$(BIN)/python -m pytest -n auto --dist loadgroup $(TESTFLAGS)

check: $(STAMP)  ## style, types, import contracts
	$(BIN)/ruff check server tests demo
	$(BIN)/ruff format --check server tests demo
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)  ## benchmarks, beside the peers that can be installed
	$(BIN)/python tests/benchmarks/run.py $(BENCHFLAGS)

lock: $(STAMP)  ## write requirements/dev.lock anew from pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --upgrade \
	  --group dev --output-file requirements/dev.lock pyproject.toml

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
