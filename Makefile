# Two commands matter: `make train` and `make test`. Both make what they need first.
PYTHON ?= python3
GAME ?= connect4
MINUTES ?= 10

BIN := .venv/bin
READY := .venv/ready

.PHONY: env train play test test-slow lint lessons clean

env: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[development]'
	touch $(READY)

train: env
	$(BIN)/boardzero train $(GAME) --minutes $(MINUTES)

play: env
	$(BIN)/boardzero serve --open

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Compiled code is made once, before the tests share it: each of their processes would do it for itself.
test: lint
	$(BIN)/python -m boardzero.players.warm
	$(BIN)/pytest -m 'not slow' -n 2

test-slow: env
	$(BIN)/pytest -m slow

# Every lesson in full: its pictures and its page in docs/lessons.
lessons: env
	$(BIN)/python lessons/render.py

clean:
	rm -rf .venv build src/*.egg-info
