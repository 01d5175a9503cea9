# One call per target. All logic is in `cargo xtask`.

# In CI the target directory is in the cache, outside of the checkout, so that the next clone can use it. Cargo distinguishes
# the crates of two clones only by the modification times of their files: so only one clone is built at a time, and its files
# are touched first.
ifeq ($(CI),true)
# Incremental compilation does not help a new clone, and its files are larger than everything else.
export CARGO_INCREMENTAL = 0
export CARGO_TARGET_DIR ?= $(or $(MAINSTAY_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/mainstay)/target
YOUNGEST := find . -path ./.git -prune -o -type f -exec touch {} +
ALONE = mkdir -p $(CARGO_TARGET_DIR) && flock --close $(CARGO_TARGET_DIR)/clone.lock sh -c '$(YOUNGEST) && exec "$$0" "$$@"'
endif

# The first time cargo prints its progress, because it compiles for minutes before a chore can print anything.
quiet = $(if $(wildcard $(or $(CARGO_TARGET_DIR),target)/debug/$(1)),--quiet)
# All programs have the features of the whole workspace, like the tests, so that cargo compiles nothing twice.
OWN = cargo run $(call quiet,$(1)) --locked --all-features --bin $(1) --
XTASK = $(ALONE) $(call OWN,xtask)
LAB = $(call OWN,lab)

.DEFAULT_GOAL := help
.PHONY: help demo test test-long check convergence lab-up lab-down bench bench-render bench-monitoring bench-effect fuzz peer-e2e gen clean

help: ## List these targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

demo: ## Start a cluster with everything that Mainstay can do (MAINSTAY_CONTEXT=name uses your own cluster)
	@$(XTASK) demo

test: ## Everything that fits into an hour: install tools, checks, API-server tests, end-to-end tests, one summary
	@$(XTASK) test

test-long: ## The suites that take too long for test (SUITE=fuzz for one; LIST=yes lists them with their budgets)
	@$(XTASK) test-long $(SUITE) $(if $(LIST),--list)

check: ## All checks that need no cluster: format, spelling, generated files, dependencies, lints, unit tests
	@$(XTASK) check

convergence: ## Every scenario with every perturbation, on a separate control plane (about ninety minutes)
	@$(ALONE) $(call OWN,convergence)

lab-up: ## Start the lab: a real Kubernetes on this machine
	@$(LAB) up

lab-down: ## Stop the lab and remove everything that it created on this machine
	@$(LAB) down

bench: ## Measure the operator with 50, 500 and 5,000 resources (see bench/README.md)
	@$(XTASK) bench

bench-render: ## Measure the rendering of configurations, compared with the Prometheus Operator's generator
	@$(XTASK) bench-render

bench-monitoring: ## Measure our monitoring operators and the Prometheus Operator on the same API server
	@$(XTASK) bench-monitoring

bench-effect: ## Measure how soon a change of a monitor takes effect, with both operators (over an hour)
	@$(XTASK) bench-effect

fuzz: ## Search for inputs that break a parser or a writer, a minute each (cargo xtask fuzz TARGET --seconds N)
	@$(XTASK) fuzz

peer-e2e: ## The Prometheus Operator's own tests against our image (GROUP=alertmanager TEST=regex OPERATOR=peer WRITE=yes)
	@$(XTASK) peer-e2e $(GROUP) $(if $(TEST),--test '$(TEST)') $(if $(OPERATOR),--operator $(OPERATOR)) $(if $(WRITE),--write)

gen: ## Write the generated files
	@$(XTASK) gen

clean: ## Remove what cargo built; the cache of the lab is kept
	@cargo clean --locked
