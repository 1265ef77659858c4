# What `trace2tsv -c kernel` selects, with the columns that jq can give.
.traceEvents[] | select(.ph == "X" and .cat == "kernel") | [.ts, .dur, .name, .pid, .tid] | @tsv
