# make -j N -f ranks.mk LIST=FILE [VERSIONS=FILE] [DIR=FOLDER] [PIPE=COMMAND] [MERGE=COMMAND] [CHUNK=N]
#   [TRIES=N] [PAUSE=SECONDS]
#
# Makes partial tables of the traces of a list, N at a time, and merges them: kevranks(7).
# SHELL=.../srun-shell runs each recipe on a node of Slurm.

LIST =
DIR = parts
PIPE =
MERGE =
CHUNK =
VERSIONS =
TRIES =
PAUSE =

here := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
quote = '$(subst ','\'',$(1))'
ranks = $(call quote,$(here)/ranks)

# Settings are text: $ in them is for bash, not for make.
names := LIST VERSIONS DIR PIPE MERGE CHUNK TRIES PAUSE
settings := $(foreach name,$(names),$(name)=$(call quote,$(value $(name))))
folder := $(call quote,$(value DIR))
unexport $(names)

# What is planned is planned here; only recipes run elsewhere.
recipe_shell := $(if $(filter command,$(origin SHELL)),$(SHELL),/bin/bash)
override SHELL := /bin/bash

# Chunks are the only targets, so names of files may have any characters.
chunks := $(shell $(ranks) plan $(settings))
ifneq ($(.SHELLSTATUS),0)
$(error ranks.mk: nothing is made, for the reason above)
endif

merge $(chunks): override SHELL := $(recipe_shell)

# A trace that fails is missing in the merge, which says so: the others go on.
merge: $(chunks)
	$(ranks) merge $(folder)

$(chunks):
	-$(ranks) part $(folder) $@

.PHONY: merge $(chunks)
