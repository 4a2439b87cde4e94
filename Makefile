# `make` lists the targets. Each makes the environment it needs in .venv, with Python >= 3.11.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# MLX's back end: a Mac has one, Linux takes cpu, cuda12 or cuda13.
BACKEND ?= $(if $(filter Linux,$(shell uname -s)),cpu)

comma := ,
bin := .venv/bin

.PHONY: help demo test nightly check lint types bench figures docs clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 10

demo: .venv/.test ## see what functape does, in a minute
	$(bin)/python -m functape.demo

test: .venv/.test ## the tests, less the slow ones
	$(bin)/python -m pytest -n auto --dist worksteal

nightly: .venv/.test ## all tests, the slow ones too
	$(bin)/python -m pytest -n auto --dist worksteal -m "" --hypothesis-profile=anew

check: lint types test ## everything that a change must pass

lint: .venv/.dev ## ruff
	$(bin)/ruff check .

# The transforms lie outside functape/, so types are checked where both are together: as installed.
types: .venv/.dev ## mypy, on the installed package
	rm -rf build
	$(bin)/pip install --quiet --no-deps --target build/types .
	cd build/types && ../../$(bin)/mypy --config-file ../../pyproject.toml -p functape

bench: .venv/.test ## the benchmarks
	$(bin)/python -m tests.benchmarks

figures: .venv/.test ## measure for docs/performance.md; a quiet machine is needed
	$(bin)/python -m tests.benchmarks --json=docs/performance.json

docs: .venv/.docs ## the documentation, in build/docs
	$(bin)/python -m sphinx -W -b html docs build/docs

clean: ## remove all that the targets made
	rm -rf .venv build dist *.egg-info functape/_blas_shim*.so .*_cache .hypothesis tape.svg
	find . -name __pycache__ -prune -exec rm -rf {} +

# One stamp an extra of pyproject.toml: installed again when what defines the installation changes.
.venv/.%: pyproject.toml setup.py functape/_blas_shim.c | .venv/bin/python
	$(bin)/pip install --quiet --editable '.[$(if $(BACKEND),$(BACKEND)$(comma))$*]'
	@touch $@

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "functape needs Python >= 3.11: make PYTHON=/path/to/it" >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }
