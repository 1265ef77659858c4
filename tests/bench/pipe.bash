# tests/bench/pipe.bash - the jobs of the pipe from a trace to its operations, and of the threads of
# trace2tsv, which scripts/bench sources.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of scripts/bench

# N processors that this process may use, as taskset lists them.
processors() { # N
	local range

	for range in $(taskset -cp $$ | sed 's/.*: //; s/,/ /g'); do
		seq "${range%-*}" "${range#*-}"
	done | sed -n "1,$1p" | paste -sd, -
}

# A Python with pandas; nothing if there is none.
python_with_pandas() {
	local python

	for python in python3 /usr/bin/python3; do
		if "$python" -c 'import pandas' 2>/dev/null; then
			echo "$python"
			return
		fi
	done
}

# From the trace to a table, with and without what no stage needs, and on fewer processors.
pipe_rows() {
	local rest='kcontext | kclass | kgroup -k phase,op'
	local rules=tests/bench/peers/class.rules
	local few="trace2tsv -g -c -python_function $trace"
	local columns="correlation,External id,stream,Python id,Python parent id"
	local python

	python=$(python_with_pandas)
	job "operations of the trace, phase by phase" "$(stat -c %s "$trace")"
	ours bytes "$few | $rest"
	against 'on one processor' - bytes "taskset -c $(processors 1) sh -c '$few | $rest'"
	(($(nproc) <= 2)) || against 'on two processors' - bytes "taskset -c $(processors 2) sh -c '$few | $rest'"
	against 'with Python functions' 'cpu 1.2' bytes "trace2tsv -g $trace | $rest"
	against 'trace2tsv -g' - none "trace2tsv -g $trace"
	compare

	job "the same with seven rules" "$(stat -c %s "$trace")"
	appetite['json and pandas']=10
	ours groups "$few | kcontext | kclass --rules=$rules | kgroup -k phase,op | cut -f1-4"
	[[ ! $python ]] || against 'json and pandas' 'speed 20' groups "$python tests/bench/peers/phases.py $trace"
	compare

	job "kernel rows of it with the columns of -g" "$(stat -c %s "$trace")"
	ours bytes "trace2tsv -g -c kernel $trace"
	against 'without -g' 'time 1.7' bytes "trace2tsv -c kernel -a '$columns' $trace"
	compare
}

# What pipes of 1 MiB and make pgo save, in a pipe without threads. Without build/pgo that is left out.
factor_rows() {
	local rest='kcontext | kclass | kgroup -k phase,op'
	local begin="trace2tsv --threads=1 -g $trace" pgo=build/pgo/bin

	job "the pipe with one thread" "$(stat -c %s "$trace")"
	ours bytes "$begin | $rest"
	against 'pipes of 64 KiB' - bytes "env LD_PRELOAD=$build/check/narrow.so sh -c '$begin | $rest'"
	compare

	job "rows of -g with one thread" "$(stat -c %s "$trace")"
	ours bytes "$begin"
	against 'make pgo' - bytes "$pgo/$begin"
	compare
}

# By two threads, and by eight if there are so many processors, beside one.
threads_job() { # TITLE WANTED_OF_TWO WANTED_OF_EIGHT OPTIONS FILE
	local threads least

	for threads in 2 8; do
		(($(nproc) >= threads)) || continue
		least=$2
		((threads == 2)) || least=$3
		job "$1 by $threads threads" "$(stat -c %s "$trace")"
		ours bytes "trace2tsv --threads=$threads $4 $5"
		against 'one thread' "$least" bytes "trace2tsv --threads=1 $4 $5"
		compare
	done
}

# A trace whose chunks begin within a list that looks like further events, so threads parse them in vain.
misled_job() {
	local list=$data/list-$tag.json threads

	if [[ ! -e $list || tests/bench/pipe.bash -nt $list ]]; then
		echo "making $list" >&2
		awk -v n="$((size / 50))" 'BEGIN {
			printf "{\"traceEvents\":[{\"ph\":\"i\",\"args\":{\"list\":["
			for (i = 0; i < n; i++)
				printf "{\"ph\":\"X\"},"
			print "{}]}},{\"ph\":\"X\",\"name\":\"k\",\"ts\":1}]}"
		}' >"$list.part"
		mv "$list.part" "$list"
	fi
	for threads in 2 8; do
		job "a list that misleads $threads threads" "$(stat -c %s "$list")"
		ours bytes "trace2tsv --threads=$threads $list"
		against 'one thread' 'cpu 0.5' bytes "trace2tsv --threads=1 $list"
		compare
	done
}

threads_rows() {
	threads_job "rows of -g" 'speed 1.9' 'speed 6' -g "$trace"
	threads_job "rows of -g of the gzipped trace" - 'speed 3' -g "$zipped"
	threads_job "kernel rows" 'speed 1.7' - '-c kernel' "$trace"
	threads_job "kernel rows of the gzipped trace" - - '-c kernel' "$zipped"
	misled_job
}
