# convert - of kreport: what a file is, and its streams.
#
# Reads dir and replayed. Messages come from messages.bash.
# shellcheck shell=bash

arguments='Input Dims,Input type,Concrete Inputs'
declare -A beginning=() full_beginning=() before=() file_of=()

# Sets quoted to a word that a shell reads as this text, in ASCII.
quote() { # TEXT
	local LC_ALL=C single="'" escaped="'\\''"

	case $1 in
	'' | *[!\ -~]*) printf -v quoted %q "$1" ;;
	*[!A-Za-z0-9_./+:@%=,-]*) quoted="'${1//"$single"/"$escaped"}'" ;;
	*) quoted=$1 ;;
	esac
}

# Sets kind to json, csv, sqlite, xspace or stream, by the first bytes of a file.
recognize() { # FILE
	local LC_ALL=C start trimmed

	start=$(gzip -dcf -- "$1" 2>/dev/null | head -c 4096 | tr '\000' '\001')
	trimmed=${start#$'\xef\xbb\xbf'}
	trimmed=${trimmed#"${trimmed%%[![:space:]]*}"}
	case $start in
	'SQLite format 3'*) kind=sqlite ;;
	'#'*) kind=stream ;;
	$'\n'?*) # field 1 of a message; the name or id of a plane follows its length
		kind=csv
		[[ ${start:0:12} != *[$'\x08\x12']* ]] || kind=xspace
		;;
	*) kind=csv ;;
	esac
	[[ $kind != csv || $trimmed != [\{[]* ]] || kind=json
}

# Holds if csv2tsv -A refuses a CSV because it would write two columns of one name, such as the pid of
# rocprof beside the pid that is the device. Only the first lines are read.
columns_clash() { # FILE
	csv2tsv -A --quiet -- "$1" 2>/dev/null | head -n 8 |
		grep -a -q $'^##damaged\t.*\tline [0-9]*: two columns are named '
}

# Sets beginning[SIDE] to the command of a converter, and full_beginning[SIDE] to the one that also
# copies the arguments of operators. They are empty for a stream.
name_converter() { # SIDE FILE KIND
	local quoted

	quote "$2"
	case $3 in
	json) beginning[$1]="trace2tsv -g $quoted" ;;
	csv)
		beginning[$1]="csv2tsv -A $quoted"
		! columns_clash "$2" || beginning[$1]="csv2tsv $quoted"
		;;
	sqlite) beginning[$1]="sqlite2tsv $quoted" ;;
	xspace) beginning[$1]="xplane2tsv $quoted" ;;
	stream) beginning[$1]='' ;;
	esac
	full_beginning[$1]=${beginning[$1]}
	[[ $3 != json ]] || full_beginning[$1]="trace2tsv -g -a '$arguments' $quoted"
}

# Sets command to a pipe, with FILE as the operand of its first program.
give_file() { # FILE PIPE
	local quoted first=${2%%' | '*}

	quote "$1"
	command="$first $quoted${2#"$first"}"
}

# Sets command to what a reader pastes for a pipe that reads the stream trace, rows or full of a SIDE.
join_pipe() { # SIDE STREAM PIPE
	if [[ ${before[$1.$2]} ]]; then
		command="${before[$1.$2]}${3:+ | $3}"
	else
		give_file "${file_of[$1]}" "$3"
	fi
}

# Prints the names of the columns of a stream, each between two newlines.
columns_of() { # STREAM
	printf '\n%s\n' "$(gzip -dcf -- "$1" 2>/dev/null |
		sed -n '/^#[^#]/ { s/^#//; s/\t/\n/g; p; q; }')"
}

# Sets filter to the stages from what a COMMAND prints, rows of a CSV, to kernels and copies with classes. A
# CSV can also have calls, marks and allocations. kcontext decides what is of a device, but needs columns that
# a CSV lacks, so it gets one row for each category and name.
name_filter() { # COMMAND
	local kinds pairs row cat name condition='' last=''

	filter=kclass
	kinds=$(eval "$1" 2>/dev/null | kselect -H -c cat,name 2>/dev/null | LC_ALL=C sort -u)
	[[ $kinds ]] || return 0
	mapfile -t pairs <<<"$kinds"
	while IFS= read -r row; do
		cat=${row%%$'\t'*} name=${row#*$'\t'}
		[[ $row != *[\\\"\']* && ($cat != "$last" || ! $cat) ]] || continue
		last=$cat
		if [[ $cat ]]; then
			condition+=" && cat != \"$cat\""
		else
			condition+=" && name != \"$name\""
		fi
	done < <(LC_ALL=C comm -23 <(printf '%s\n' "$kinds") <({
		printf '##kev\t1\n#cat\tname\tts\tdur\ttype\tph\tpid\ttid\tcorrelation\tExternal id\n'
		printf '%s\t1\t1\t\tX\t0\t0\t\t\n' "${pairs[@]}"
		printf '##end\n'
	} | kcontext --copies 2>/dev/null | kselect -H -c cat,name 2>/dev/null | LC_ALL=C sort -u))
	[[ ! $condition ]] || filter="kselect -w '${condition# && }' | kclass"
}

# Sets before[SIDE.STREAM] to the pipes that write the streams of a file: trace, what a converter
# writes; rows, its kernels and copies with classes; full, the same with the arguments of operators. They
# are empty if the file is that stream. A CSV has no launches, which kcontext needs. Sets rest to the pipe
# from trace to full.
name_streams() { # SIDE FILE KIND
	local columns shorter command quoted filter with="kcontext --copies -a '$arguments'$replayed | kclass"

	name_converter "$1" "$2" "$3"
	file_of[$1]=$2
	rest="kcontext --copies$replayed | kclass"
	shorter=$rest
	case $3 in
	json) rest=$with ;;
	csv)
		name_filter "${beginning[$1]}"
		rest=$filter shorter=$filter
		;;
	stream)
		columns=$(columns_of "$2")$'\n'
		if [[ $columns == *$'\nop\n'* ]] &&
			[[ $columns == *$'\nlaunch_ts\n'* || $columns != *$'\ncorrelation\n'* ]]; then
			rest='' shorter=''
		elif [[ $columns != *$'\ncorrelation\n'* ]]; then
			quote "$2"
			name_filter "kselect $quoted"
			rest=$filter shorter=$filter
		elif [[ $columns == *$'\nInput Dims\n'* && $columns == *$'\nInput type\n'* &&
			$columns == *$'\nConcrete Inputs\n'* ]]; then
			rest=$with
		fi
		;;
	esac
	[[ ! $replayed || $rest == kcontext* ]] ||
		fail "--capture: $2 has no launches, so no kernels of graphs can be found"
	[[ ! $replayed ]] || shorter=$rest
	before[$1.trace]=${beginning[$1]}
	if [[ ${beginning[$1]} ]]; then
		before[$1.rows]="${beginning[$1]} | $shorter"
		before[$1.full]="${full_beginning[$1]} | $rest"
		[[ ! $replayed ]] || before[$1.rows]=${before[$1.full]}
	elif [[ $rest ]]; then
		give_file "$2" "$shorter"
		before[$1.rows]=$command
		give_file "$2" "$rest"
		before[$1.full]=$command
	else
		before[$1.rows]='' before[$1.full]=''
	fi
}

# Sets replayed to the option of kcontext for a trace of captures, or a stream of one.
name_capture() { # REF
	local quoted

	recognize "$1"
	quote "$1"
	case $kind in
	json) replayed=" --capture=<(trace2tsv -g -a 'kernel,$arguments' $quoted)" ;;
	stream) replayed=" --capture=$quoted" ;;
	*) fail "--capture: $1 is neither a trace of PyTorch nor a stream of one" ;;
	esac
}

# Writes SIDE.trace.kev, what the converter writes, and SIDE.rows.kev, its kernels and copies with
# classes. The statuses and messages of the programs are beside them.
# shellcheck disable=SC2317 # called by start
convert() { # SIDE FILE REST
	local name=$dir/$1 first=${full_beginning[$1]} quoted

	if [[ ! $first ]]; then
		quote "$2"
		first="kselect $quoted"
	fi
	eval "$first" 2>"$name.messages" | tee "$name.trace.kev" |
		eval "set -o pipefail; ${3:-cat}" 2>"$name.rows.messages" >"$name.rows.kev"
	echo "${PIPESTATUS[@]}" >"$name.statuses"
}

# Ends the run if a program of the conversion failed, with its messages. Damage and a stream without
# rows are answers.
check_conversion() { # SIDE FILE
	local name=$dir/$1 statuses

	read -ra statuses <"$name.statuses" || fail "$2: cannot be converted"
	case ${statuses[0]} in
	0 | 1 | 3) ;;
	*)
		pass_messages "$name.messages"
		fail "$2: cannot be read${beginning[$1]:+, see ${beginning[$1]%% *}(1)}"
		;;
	esac
	((statuses[1] == 0)) || fail "$name.trace.kev: cannot be written"
	((statuses[2] != 2 && statuses[2] <= 3)) || {
		pass_messages "$name.rows.messages"
		fail "$2: its kernels cannot be read"
	}
	[[ $(columns_of "$name.trace.kev")$'\n' == *$'\nts\n'* ]] ||
		fail "$2: these are sums, not the kernels themselves; kgroup -m groups them"
	worsen "$((statuses[0] == 3 ? 0 : statuses[0]))"
}

# Passes messages of programs on.
pass_messages() { # FILE
	local line

	while IFS= read -r line; do
		warn "$line"
	done <"$1"
}
