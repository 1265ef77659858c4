# Predicted passes against measured ones, NAME-tc.json and NAME-fwd.csv: make -j -f op.mk
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:

# passes_NAME is the number of passes of a CSV, if not 1.
traces = $(patsubst %-tc.json,%,$(wildcard *-tc.json))
scenarios = $(filter $(patsubst %-fwd.csv,%,$(wildcard *-fwd.csv)),$(traces))
passes_prefill = 2

all: $(scenarios:%=%.op) op_comparison.json

%.predicted.kev: %-tc.json ops.yaml
	trace2tsv -P profiling,empirical -a sub_kernel_durations $< | opmap -y ops.yaml >$@

%.measured.kev: %-fwd.csv
	csv2tsv $< | hcomdedup >$@

%.op: %.predicted.kev %.measured.kev
	opdiff -r --name=$* --passes=$(or $(passes_$*),1) $^ >$@

%.op.json: %.predicted.kev %.measured.kev
	opdiff -j --name=$* --passes=$(or $(passes_$*),1) $^ >$@

op_comparison.json: $(scenarios:%=%.op.json)
	jq -s add $^ >$@
