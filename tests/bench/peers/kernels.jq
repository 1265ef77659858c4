# The rows of `trace2tsv -c kernel`; ts is rounded, as jq's numbers are binary floats.
.traceEvents[]
| select(.ph == "X" and .cat == "kernel")
| [.ts, .dur, .args.kernel_type, .name, .cat, .ph, .pid, .tid, .args.source]
| @tsv
