# Completion of the programs of kevtools for bash.
#
# The options, their words and the kinds of pictures come from `PROGRAM -h`, the columns from the program
# share/kevtools/completion/columns.

# Prints the options of a program and their arguments: "-k =COL,..." and "--key =COL,...".
_kevtools_options() { # PROGRAM
	"$1" -h 2>/dev/null |
		sed -n -e 's/^  *\(-.\), \(--[a-z0-9-]*\)\([^ ]*\).*/\1 \3\n\2 \3/p' \
			-e 's/^  *\(--[a-z0-9-]*\)\([^ ]*\).*/\1 \2/p'
}

# Prints the columns that the program reads, one on each line; with --written those that it writes.
_kevtools_columns() { # PROGRAM [--written]
	local file

	file=$(type -P -- "$1") && file=$(readlink -f -- "$file") || return
	"${file%/bin/*}/share/kevtools/completion/columns" "${@:2}" "$file" \
		"${COMP_LINE::COMP_POINT}" "${COMP_LINE:COMP_POINT}" 2>/dev/null </dev/null
}

# Prints a word as it must stand on the line: in the open quotes of the current word, or without any.
_kevtools_quoted() { # WORD
	case ${COMP_WORDS[COMP_CWORD]} in
	\'*) [[ $1 == *\'* ]] || printf '%s' "$1" ;;
	\"*) sed 's/[\\$`"]/\\&/g' <<<"$1" ;;
	*) printf %q "$1" ;;
	esac
}

# Adds the words that begin with the current one, after its last comma and a minus.
_kevtools_list() { # CURRENT WORD...
	local current=$1 before=''
	local word

	shift
	[[ $current == *,* ]] && before=${current%,*},
	[[ ${current##*,} == -* ]] && before+=-
	for word; do
		[[ $word != *[!A-Za-z0-9_.]* ]] || word=$(_kevtools_quoted "$word")
		[[ ! $word || $before$word != "$current"* ]] || COMPREPLY+=("$before$word")
	done
}

# Completes the argument of an option: a list of columns, or one of some words. Others are files.
_kevtools_argument() { # PROGRAM OPTION ARGUMENT CURRENT
	local -a columns words

	case $3 in
	=COL=*) ;;
	=COL* | =-COL* | =\[-\]COL*)
		mapfile -t columns < <(
			case $2 in
			--sort | --fail-over) _kevtools_columns "$1" --written ;;
			*) _kevtools_columns "$1" ;;
			esac
		)
		_kevtools_list "$4" "${columns[@]}"
		compopt -o nospace
		;;
	=[a-z]*\|* | \[=[a-z]*)
		_kevtools_words "$3"
		_kevtools_list "$4" "${words[@]}"
		[[ ${COMPREPLY-} != *= ]] || compopt -o nospace
		# default|classic|FILE; compopt has readline quote the names.
		if [[ $3 == *\|FILE* ]]; then
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$4")
			compopt -o filenames
		fi
		;;
	esac
}

# Sets words to the lower-case words of an argument; module= of module=NAME.
_kevtools_words() { # ARGUMENT
	local argument=${1#[} word
	local -a all

	argument=${argument#=}
	IFS=\| read -ra all <<<"${argument%]}"
	for word in "${all[@]}"; do
		[[ $word != [a-z]* ]] || words+=("${word/=*/=}")
	done
}

# Completes the kind of picture: the second word of "usage: kplot bars|flame|...".
_kevtools_kind() { # PROGRAM CURRENT
	local usage word
	local -a words

	read -r _ _ usage _ < <("$1" -h 2>/dev/null)
	[[ $usage == [a-z]*\|* ]] || return
	_kevtools_words "$usage"
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ "|$usage|" != *"|$word|"* ]] || return
	done
	_kevtools_list "$2" "${words[@]}"
}

_kevtools() {
	local program=$1 current=$2 previous=$3
	local option argument name

	COMPREPLY=()
	# bash splits --key=COL into three words.
	if [[ $current == = ]]; then
		current='' option=$previous
	elif [[ $previous == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	else
		option=$previous
	fi
	while read -r name argument; do
		if [[ $option == -* && $name == "$option" ]]; then
			_kevtools_argument "$program" "$option" "$argument" "$current"
			return
		fi
		[[ $current == -* && $name == "$current"* ]] || continue
		[[ $name != --* || $argument != =* ]] || name+='='
		COMPREPLY+=("$name")
	done < <(_kevtools_options "$program")
	[[ ${COMPREPLY-} != *= ]] || compopt -o nospace
	[[ $current == -* ]] || _kevtools_kind "$program" "$current"
}

complete -o bashdefault -o default -F _kevtools @PROGRAMS@
