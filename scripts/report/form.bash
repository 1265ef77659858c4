# form - of kreport: the document as text and Markdown.
#
# Reads dir and width. dir/filled is the document with figures in its sentences.
# shellcheck shell=bash

# Sets decoded to the text of a field of a stream, with the bytes that are escaped as \xHH.
decode() { # FIELD
	local parts i escaped=''

	decoded=$1
	[[ $1 == *\\* ]] || return 0
	# Each part but the first follows a backslash; a last letter keeps one at the end.
	mapfile -t -d \\ parts < <(printf %sx "$1")
	for ((i = 1; i < ${#parts[@]}; i++)); do
		case $escaped${parts[i]} in
		'') escaped=\\ ;; # a second backslash
		\\*) parts[i]=\\${parts[i]} escaped='' ;;
		t*) parts[i]='\x09'${parts[i]:1} ;;
		n*) parts[i]='\x0a'${parts[i]:1} ;;
		r*) parts[i]='\x0d'${parts[i]:1} ;;
		0*) parts[i]='\x00'${parts[i]:1} ;;
		\#*) ;;
		*) parts[i]=\\${parts[i]} ;;
		esac
	done
	printf -v decoded %s "${parts[@]}"
	decoded=${decoded%x}
}

# Sets shortened to at most 60 bytes of a text, in whole characters.
shorten() { # TEXT
	local LC_ALL=C

	shortened=$1
	((${#1} > 60)) || return 0
	shortened=${1:0:58}
	while [[ $shortened == *[$'\x80'-$'\xbf'] ]]; do
		shortened=${shortened%?}
	done
	shortened=${shortened%[$'\xc0'-$'\xff']}…
}

# Fills the sentences of the document with figures.
fill() { # FORM
	local name plain decoded shortened

	for name in "${figures[@]}"; do
		plain='' shortened=''
		if [[ ${is_text[$name]-} ]]; then
			decode "${F[$name]-}"
			make_plain "$decoded"
			shorten "$plain"
		fi
		printf '%s\t%s\t%s\t%s\n' "$name" "${F[$name]-}" "$plain" "$shortened"
	done >"$dir/values"
	LC_ALL=C awk -v form="$1" -v unit="$unit" -f "$library/fill.awk" "$dir/values" "$dir/document" >"$dir/filled"
}

# Breaks a sentence at blanks. The first line has another indent.
wrap() { # FIRST_INDENT INDENT TEXT
	local LC_ALL=C words word line='' shown i
	local most=$((width > 100 ? 100 : width)) unit=$'^(%|ns|\xc2\xb5s|ms|s|KiB|MiB|GiB|TiB)[.,;:)]*$'

	read -r -a words <<<"$3"
	for ((i = 0; i < ${#words[@]}; i++)); do
		word=${words[i]}
		# A number and its unit are one word.
		while [[ ${words[i + 1]-} =~ $unit ]]; do
			i=$((i + 1))
			word+=" ${words[i]}"
		done
		shown="$2$line $word"
		shown=${shown//[$'\x80'-$'\xbf']/}
		if [[ $line ]] && ((${#shown} - 1 > most)); then
			printf '%s\n' "$line"
			line=$2$word
		elif [[ $line ]]; then
			line+=" $word"
		else
			line=$1$word
		fi
	done
	printf '%s\n' "$line"
}

# Runs a command on a table without its lines of damage, which stand at the beginning of the report.
of_table() { # NAME COMMAND...
	if [[ $is_damaged ]]; then
		grep -a -v $'^##damaged\t' "$dir/$1.kev" | "${@:2}"
	else
		"${@:2}" <"$dir/$1.kev"
	fi
}

# Prints a table for people.
view() { # NAME OPTION...
	of_table "$1" kview "${@:2}" -c "${columns_of_table[$1]}" 2>/dev/null
}

# Sets lines to a command, broken after pipes, and a longer stage before its conditions, so that each line has at
# most so many columns.
break_command() { # COMMAND COLUMNS
	local LC_ALL=C rest=$1 stage='' stages=() line='' plain
	local word=$'^(\\$\'([^\'\\\\]|\\\\.)*\'|\'[^\']*\'|\\\\.|[^ \\\\\']+| )'

	# A stage has a newline before each condition after the first.
	while [[ $rest ]]; do
		if [[ $rest == ' | '* ]]; then
			stages+=("$stage")
			stage='' rest=${rest:3}
		elif [[ $rest == ' -w '* && $stage == *' -w '* ]]; then
			stage+=$'\n'-w rest=${rest:3}
		elif [[ $rest =~ $word ]]; then
			stage+=${BASH_REMATCH[0]}
			rest=${rest:${#BASH_REMATCH[0]}}
		else
			stage+=${rest:0:1} rest=${rest:1}
		fi
	done
	lines=''
	for stage in "${stages[@]}" "$stage"; do
		plain=${stage//$'\n'/ }
		if [[ ! $line ]]; then
			line=$plain
		elif ((${#line} + ${#plain} + 5 <= $2)); then
			line+=" | $plain"
		else
			lines+="$line |"$'\n'
			line="  $plain"
		fi
		if ((${#line} + 2 > $2)) && [[ $stage == *$'\n'* ]]; then
			lines+="${line%"$plain"}${stage%%$'\n'*}"
			stage=${stage#*$'\n'}
			line="    ${stage//$'\n'/$' \\\n    '}"
			lines+=$' \\\n'
			[[ $line != *$'\n'* ]] || lines+="${line%$'\n'*}"$'\n'
			line=${line##*$'\n'}
		fi
	done
	lines+=$line
}

# Prints a command with a prompt.
prompt() { # INDENT COMMAND
	local lines

	break_command "$2" "$((width - ${#1} - 2))"
	printf '%s\n' "$1\$ ${lines//$'\n'/$'\n'"$1  "}"
}

print_text() {
	local kind text more after=''

	while IFS=$'\t' read -r kind text more; do
		[[ $kind != @(alert|answer|missing|note) || $after != table ]] || echo
		case $kind in
		title) printf '%s\n' "$text" ;;
		alert) echo && wrap '' '' "$text" ;;
		section) printf '\n%s\n%s\n' "$more" "${more//?/-}" ;;
		answer | missing | note) wrap '' '' "$text" ;;
		rule) wrap '* ' '  ' "$more" ;;
		command) prompt '    ' "$text" ;;
		table)
			echo && prompt '' "${command_of[$text]}"
			view "$text" --width="$width"
			;;
		esac
		after=$kind
	done <"$dir/filled"
}

# Prints a block of code, with more backquotes around it than are within.
fence() { # TEXT
	local quotes='```'

	while [[ $1 == *"$quotes"* ]]; do
		quotes+='`'
	done
	printf '%ssh\n%s\n%s\n' "$quotes" "$1" "$quotes"
}

print_markdown() {
	local kind text more lines after=''

	while IFS=$'\t' read -r kind text more; do
		[[ $kind != @(answer|missing|note) || $after != @(table|answer|missing|note) ]] || echo
		case $kind in
		title) printf '# %s\n' "$text" ;;
		alert) printf '\n> %s\n' "$text" ;;
		section) printf '\n## %s\n\n' "$more" ;;
		answer | missing | note) printf '%s\n' "$text" ;;
		rule) printf -- '- %s\n\n' "$more" ;;
		command) break_command "$text" 100 && fence "$lines" && echo ;;
		table)
			printf '\n### %s\n\n' "$more"
			break_command "${command_of[$text]}" 100
			fence "$lines"
			printf '\n'
			view "$text" -M
			;;
		esac
		after=$kind
	done <"$dir/filled"
}
