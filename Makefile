BIN := .venv/bin
LOCK_FLAGS := --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

.PHONY: run test test-long lint check programs faults contract generators pictures bench gate openapi clients examples vectors venv lock clean
.DELETE_ON_ERROR:

run: .venv/.runtime
	@$(BIN)/croupier run

# mypy needs one core, and pytest can do with what is left of the other.
test: .venv/.dev programs
	@$(MAKE) --no-print-directory --jobs 2 lint check

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict
	@echo $(BIN)/lint-imports
	@report=$$($(BIN)/lint-imports --no-logo) || { echo "$$report"; exit 1; }

# A hundred processes are started, and each would compile the whole service again. For the same reason the tests
# are collected once before: that compiles them.
check: export PYTHONDONTWRITEBYTECODE =
check: .venv/.dev programs
	@$(BIN)/pytest --collect-only --quiet --quiet >/dev/null || $(BIN)/pytest --collect-only --quiet
	$(BIN)/pytest --numprocesses auto --dist worksteal

# Tournaments, floods, schemathesis, generated clients, and 300 examples of whatever Hypothesis tries.
test-long: export PYTHONDONTWRITEBYTECODE =
test-long: .venv/.dev programs
	$(BIN)/pytest -m "long or hypothesis" --hypothesis-profile long --numprocesses auto --dist worksteal

# A browser and curl, where they are missing and can be installed.
programs: .venv/.dev
	@$(BIN)/python -m tests.install_programs

# Attacks at full length, with figures; some minutes each. Some need root or gcc, and say so.
faults: .venv/.dev
	$(BIN)/python -m tests.faults.long $(ATTACK)

# schemathesis with all its checks, a hundred examples an operation or EXAMPLES; some minutes.
contract: .venv/.dev
	$(BIN)/python -m tests.contract.long

# Linters, generators and generated clients of JavaScript. Needs npm; versions are pinned beside them.
generators: .venv/.dev tests/javascript/node_modules/.package-lock.json
	$(BIN)/python -m tests.javascript.long

tests/javascript/node_modules/.package-lock.json: tests/javascript/package-lock.json
	npm ci --prefix tests/javascript
	touch $@

# Every state of the page, at four widths, by night and by day, to be looked at: build/pictures.
pictures: .venv/.dev
	$(BIN)/python -m tests.take_pictures

# Started as an installed service is, with everything compiled.
bench: export PYTHONDONTWRITEBYTECODE =
bench: .venv/.dev
	$(BIN)/python -m bench $(if $(AGAINST),--against $(AGAINST))

# Fails when a level of the bots is not clearly stronger than the one below.
gate: .venv/.dev
	$(BIN)/croupier arena --gate --players 2

# Makes the weights of the bots again, from nothing: about a quarter of an hour on two cores that are free.
train: .venv/.runtime
	$(BIN)/python -m workers.training $(NETS)

openapi: .venv/.dev
	$(BIN)/croupier openapi

# The types of the Python client.
clients: .venv/.dev
	$(BIN)/python -m tests.generate_client_types

# Examples for whoever writes a verifier of their own.
vectors: .venv/.dev
	$(BIN)/python -m tests.write_vectors

# What the contract has no example of yet is taken from these tests, then the contract is rendered with it.
examples: TESTS := tests/service
examples: .venv/.dev
	$(BIN)/croupier openapi
	-CROUPIER_EXAMPLES=1 $(BIN)/pytest --quiet $(TESTS)
	$(BIN)/croupier openapi

venv: .venv/.dev

.venv/.runtime: requirements.lock pyproject.toml bin/venv
	@bin/venv requirements.lock
	@touch $@

.venv/.dev: requirements-dev.lock pyproject.toml bin/venv
	@bin/venv requirements-dev.lock
	@touch $@ .venv/.runtime

# Needs uv; the files are for every platform and name no index.
lock:
	uv pip compile pyproject.toml $(LOCK_FLAGS) --extra build -o requirements.lock
	uv pip compile pyproject.toml $(LOCK_FLAGS) --extra build --extra mcp -c requirements.lock -o requirements-mcp.lock
	uv pip compile pyproject.toml $(LOCK_FLAGS) --all-extras --override bench/numpy-override.txt -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .schemathesis .import_linter_cache build dist tests/javascript/build tests/javascript/node_modules bench/boardgame_io/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
