# tables - of kreport: the pipe, the columns and the command of each table, and the runs of all.
#
# Reads dir, jobs, before and file_of. The table NAME is in dir/NAME.kev.
# shellcheck shell=bash

# By table: its command here, that of a reader, the columns that a reader sees.
declare -A run_of=() command_of=() columns_of_table=()
order=() found=0

# Declares a table of the stream of a SIDE. Without COLUMNS, only figures come from it.
table() { # NAME SIDE STREAM PIPE [COLUMNS]
	local command

	join_pipe "$2" "$3" "$4"
	order+=("$1")
	run_of[$1]="{ $4; } <\"\$dir/$2.${3/full/rows}.kev\""
	columns_of_table[$1]=${5-}
	command_of[$1]="$command${5:+ | kview -c $5}"
}

# Sets operand to the rows of a SIDE, as a reader gives them to a program of two streams.
name_operand() { # SIDE
	local quoted

	operand="<(${before[$1.rows]})"
	[[ ! ${before[$1.rows]} ]] || return 0
	quote "${file_of[$1]}"
	operand=$quoted
}

# Declares a table of the rows of both sides.
table_of_both() { # NAME PROGRAM [COLUMNS]
	local operand command=$2 side

	order+=("$1")
	run_of[$1]="$2 \"\$dir/old.rows.kev\" \"\$dir/new.rows.kev\""
	columns_of_table[$1]=${3-}
	for side in old new; do
		name_operand "$side"
		command+=" $operand"
	done
	command_of[$1]="$command | kview -c ${3-}"
}

declare_busy() { # NAME SIDE
	table "$1" "$2" rows kbusy pid,span,busy,compute,comm_exposed,copy_exposed,idle
}

# Declares the tables of a trace that its columns allow.
declare_tables() { # KIND FILE
	local columns quantiles='-q 50,99 --cumulative' figures=total,share:1,cumulative:1,count,p50,p99
	local sums=short,other parts quoted command

	table contents trace trace 'kcheck --contents' contents,category,count,time,share:1
	table findings trace trace kcheck check,severity,events,worst,name
	columns=$(columns_of "$dir/trace.rows.kev")$'\n'
	[[ $columns == *$'\ndur\n'* && $columns == *$'\nop\n'* ]] || return 0
	declare_busy busy trace
	parts='all=1,dur,short=dur < 5,other=if(empty(op) || op == "Other", dur, 0)'
	table classes trace rows "kgroup -k op $quantiles -n 12" "$figures,op"
	table kernels trace rows "kgroup -k name $quantiles -n 10" "$figures,name"
	table names trace rows 'kgroup -k name'
	table collectives trace rows \
		"kselect -w 'op == \"Collective\"' | kgroup -k name $quantiles -n 10" "$figures,name"
	if [[ $columns == *$'\nstep\n'* ]]; then
		table steps trace rows "kbusy -k step | kselect -w '!empty(step)'" \
			step,span,busy,compute,comm_exposed,copy_exposed,idle
		parts+=',nostep=if(empty(step), dur, 0)' sums+=,nostep
	fi
	if [[ $columns == *$'\nlaunch_ts\n'* ]]; then
		parts+=',unlinked=if(empty(launch_ts), dur, 0)' sums+=,unlinked
	fi
	table parts trace rows "kselect -c '$parts' | kgroup -k all --sum=$sums"
	if [[ $columns == *$'\ncpu_op\n'* || $columns == *$'\nInput Shapes\n'* ]]; then
		table work trace full \
			"kroof -k cpu_op | kselect -a 'headroom=total*(1-peak_share/100)' | ksort -k -headroom -n 10" \
			headroom,total,count,peak_share:1,bound,tflops,gbs,cpu_op
	fi
	table idle trace rows 'kbusy --gaps | ksort -k -dur -n 5' ts,dur,before,after
	if [[ $(columns_of "$dir/trace.trace.kev")$'\n' == *$'\ncorrelation\n'* ]]; then
		join_pipe trace trace klaunch
		before["trace.launch"]=$command
		table causes trace launch "kselect -w 'gap > 0' | kgroup -k cause --of=gap" \
			total,share:1,count,mean,max,cause
		table gaps trace launch 'ksort -k -gap -n 5' ts,gap,cause,name
	fi
	table host trace trace "kcpu --ignore=python_function | kselect -w '!empty(self) && cat != \"user_annotation\"' | kgroup -k name --of=self --cumulative -n 10" total,share:1,cumulative:1,count,max,name
	quote "$2"
	if [[ $1 == json ]]; then
		before["trace.memory"]="trace2tsv -c '[memory]' --memory $quoted"
		table memory trace memory kmem device,start,peak,peak_ts,end,reserved_max
		run_of[memory]="${before[trace.memory]} | kmem"
	elif [[ $(columns_of "$dir/trace.trace.kev")$'\n' == *$'\nBytes\n'* ]]; then
		table memory trace trace kmem device,start,peak,peak_ts,end,reserved_max
	fi
}

# Declares the tables of two traces.
declare_comparison() {
	declare_busy busy1 old
	declare_busy busy2 new
	table_of_both classes 'kcompare -k op -n 20' change,verdict,total1,total2,count1,count2,op
	table_of_both kernels 'kcompare -k name -n 20' change,verdict,total1,total2,count1,count2,name
	table_of_both all_classes 'kcompare -k op'
	table_of_both all_kernels 'kcompare -k name'
}

# Makes a table. Leaves its status and messages beside it.
# shellcheck disable=SC2317 # called by start
make_table() { # NAME
	set -o pipefail
	eval "${run_of[$1]}" >"$dir/$1.kev" 2>"$dir/$1.messages"
	echo $? >"$dir/$1.status"
}

# Makes the stream of launches, and its tables.
# shellcheck disable=SC2317 # called by start
make_launches() { # NAME...
	local name

	klaunch <"$dir/trace.trace.kev" >"$dir/trace.launch.kev" 2>"$dir/launch.messages"
	echo $? >"$dir/launch.status"
	for name; do
		make_table "$name"
	done
}

# Makes all tables, as many at a time as there are processors.
make_tables() {
	local name from_launches=()

	for name in "${order[@]}"; do
		[[ ${run_of[$name]} != *.launch.kev* ]] || from_launches+=("$name")
	done
	running=0
	((${#from_launches[@]} == 0)) || start_job make_launches "${from_launches[@]}"
	for name in "${order[@]}"; do
		[[ ${run_of[$name]} == *.launch.kev* ]] || start_job make_table "$name"
	done
	while ((running > 0)); do
		wait_for_one
	done
	check_tables
}

# Ends the run if a program failed. 1 and 3 are answers.
check_tables() {
	local name status

	for name in "${order[@]}"; do
		status=2
		[[ ! -s $dir/$name.status ]] || read -r status <"$dir/$name.status"
		case $status in
		0 | 1 | 3) [[ -s $dir/$name.kev ]] && continue ;;&
		*)
			pass_messages "$dir/$name.messages"
			fail "the table $name cannot be made: ${command_of[$name]}"
			;;
		esac
	done
}

# Sets the figures of the first row of a table; they stay empty if it has none.
take() { # TABLE COLUMN=FIGURE...
	local table=$1 pair columns='' fields i=0

	shift
	[[ -e $dir/$table.kev ]] || return 0
	for pair; do
		columns+=,${pair%%=*}
	done
	mapfile -t -d $'\t' fields < <(kselect -H -n 1 -c "${columns#,}" "$dir/$table.kev" 2>/dev/null |
		tr -d '\n')
	for pair; do
		F[${pair#*=}]=${fields[i++]-}
	done
}

# Sets found to the number of rows of a table.
count_rows() { # TABLE
	found=0
	[[ ! -e $dir/$1.kev ]] || found=$(grep -c -v '^#' "$dir/$1.kev")
}
