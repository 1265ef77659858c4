# tests/bench/pipe.bash - the jobs of the pipe from a trace to its operations, which scripts/bench sources.
# shellcheck shell=bash disable=SC2154 # variables of scripts/bench

# From the trace to a table, with and without what no stage needs, and on one processor.
pipe_rows() {
	local rest='kcontext | kclass | kgroup -k phase,op'
	local few="trace2tsv -g -c -python_function $trace | $rest"
	local columns="correlation,External id,stream,Python id,Python parent id"

	job "operations of the trace, phase by phase" "$(stat -c %s "$trace")"
	ours bytes "$few"
	against 'on one processor' - bytes "taskset -c 0 sh -c '$few'"
	against 'with Python functions' 'cpu 1.2' bytes "trace2tsv -g $trace | $rest"
	against 'trace2tsv -g' - none "trace2tsv -g $trace"
	compare

	job "kernel rows of it with the columns of -g" "$(stat -c %s "$trace")"
	ours bytes "trace2tsv -g -c kernel $trace"
	against 'without -g' 'time 1.7' bytes "trace2tsv -c kernel -a '$columns' $trace"
	compare
}
