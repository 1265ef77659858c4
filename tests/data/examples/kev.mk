# Streams and tables, made once and kept: make -f kev.mk m6.kev
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
.DELETE_ON_ERROR:

%.kev: %.json.gz
	trace2tsv -c kernel $< >$@

%.kev: %.json
	trace2tsv $< >$@

%.kev: %.csv
	csv2tsv $< | hcomdedup >$@

m6.kev: tc.kev fwd.kev
	ratio $^ >$@

op.kev: ops.kev fwd.kev
	opdiff $^ >$@

ops.kev: tc.json ops.yaml
	trace2tsv -P profiling,empirical -a sub_kernel_durations $< | \
	  opmap -y ops.yaml >$@

# A target of its own: op.kev stays if the limit fails.
check: ops.kev fwd.kev op.kev
	opdiff --fail-over=5% ops.kev fwd.kev >/dev/null
