# The menu. Anything with logic is in `cargo xtask`; a recipe is one call.

# In CI the target directory lies in the cache, outside the checkout, so that the next clone is warm. Cargo tells the
# crates of two clones apart by nothing but the age of their files: so one clone at a time, and its files the youngest.
ifeq ($(CI),true)
# What a compiler keeps for the next edit is of no use to a clone, and larger than all the rest.
export CARGO_INCREMENTAL = 0
export CARGO_TARGET_DIR ?= $(or $(MAINSTAY_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/mainstay)/target
YOUNGEST := find . -path ./.git -prune -o -type f -exec touch {} +
ALONE = mkdir -p $(CARGO_TARGET_DIR) && flock --close $(CARGO_TARGET_DIR)/clone.lock sh -c '$(YOUNGEST) && exec "$$0" "$$@"'
endif

# The first time cargo tells what it does: it compiles for minutes before the first chore can speak.
quiet = $(if $(wildcard $(or $(CARGO_TARGET_DIR),target)/debug/$(1)),--quiet)
# All programs with the features that the whole workspace needs, as the tests are built: so cargo compiles nothing twice.
OWN = cargo run $(call quiet,$(1)) --locked --all-features --bin $(1) --
XTASK = $(ALONE) $(call OWN,xtask)
LAB = $(call OWN,lab)

.DEFAULT_GOAL := help
.PHONY: help demo test test-long check convergence lab-up lab-down bench bench-render bench-monitoring bench-effect fuzz peer-e2e gen clean

help: ## List these targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

demo: ## A running cluster with what Mainstay has so far (MAINSTAY_CONTEXT=name uses a cluster of yours)
	@$(XTASK) demo

test: ## Everything that fits into an hour: installs what it needs, checks, API-server tests, end-to-end tests, one summary
	@$(XTASK) test

test-long: ## What takes too long for test (SUITE=fuzz for one; LIST=yes says what there is and what it takes)
	@$(XTASK) test-long $(SUITE) $(if $(LIST),--list)

check: ## What needs no cluster: format, spelling, generated files, dependencies, lints, unit tests
	@$(XTASK) check

convergence: ## Every scenario with everything that can go wrong, on a control plane of its own (about ninety minutes)
	@$(ALONE) $(call OWN,convergence)

lab-up: ## Bring the lab up: a real Kubernetes on this machine
	@$(LAB) up

lab-down: ## End the lab and remove everything it left on this machine
	@$(LAB) down

bench: ## What the operator costs with 50, 500 and 5,000 resources (see bench/README.md)
	@$(XTASK) bench

bench-render: ## What rendering configurations costs, beside the Prometheus Operator's own generator
	@$(XTASK) bench-render

bench-monitoring: ## What our monitoring operator costs, beside the Prometheus Operator on the same API server
	@$(XTASK) bench-monitoring

bench-effect: ## How soon a change of a monitor takes effect, ours and the Prometheus Operator's (over an hour)
	@$(XTASK) bench-effect

fuzz: ## Search for inputs that break a reader or a writer, a minute each (cargo xtask fuzz TARGET --seconds N)
	@$(XTASK) fuzz

peer-e2e: ## The Prometheus Operator's own tests against our image (GROUP=alertmanager TEST=regex OPERATOR=peer WRITE=yes)
	@$(XTASK) peer-e2e $(GROUP) $(if $(TEST),--test '$(TEST)') $(if $(OPERATOR),--operator $(OPERATOR)) $(if $(WRITE),--write)

gen: ## Write the generated files
	@$(XTASK) gen

clean: ## Remove what cargo built; the cache of the lab stays
	@cargo clean --locked
