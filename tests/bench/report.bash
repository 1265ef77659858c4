# tests/bench/report.bash - the job of kreport, which scripts/bench sources.
# shellcheck shell=bash disable=SC2154 # variables of scripts/bench

# All tables of a trace, beside the two pipes of its report that take longest.
report_rows() {
	local arguments="-a 'Input Dims,Input type,Concrete Inputs'"
	local own='!empty(self) && cat != "user_annotation"'

	job "the report of the trace" "$(stat -c %s "$trace")"
	ours none "kreport $trace"
	against 'work of operators' 'time 2.5' none \
		"trace2tsv -g $arguments $trace | kcontext --copies $arguments | kclass | kroof -k cpu_op"
	against 'own time on the host' 'time 2.5' none \
		"trace2tsv -g $trace | kcpu --ignore=python_function | kselect -w '$own' | kgroup -k name --of=self"
	compare
}
