# rules - of kreport: what to look at first.
#
# Reads dir, and figures.kev in it. A rule is a line: name, condition, message and command.
# shellcheck shell=bash

rule_names=() rule_conditions=() rule_messages=() rule_commands=() holding=()

# Sets rule_names, rule_conditions, rule_messages and rule_commands to the rules of a file.
read_rules() { # FILE
	local line number=0 fields seen=' '

	while IFS= read -r line || [[ $line ]]; do
		number=$((number + 1))
		line=${line%$'\r'}
		[[ $line && $line != '#'* ]] || continue
		split "${line%$'\t'}"
		((${#fields[@]} == 4)) ||
			fail "$1:$number: ${#fields[@]} fields, but a rule has name, condition, message and command"
		[[ ${fields[0]} =~ ^[a-z0-9-]+$ ]] ||
			fail "$1:$number: '${fields[0]}' is not a name of small letters, digits and -"
		[[ $seen != *" ${fields[0]} "* ]] || fail "$1:$number: a second rule ${fields[0]}"
		seen+="${fields[0]} "
		check_message "$1:$number: rule ${fields[0]}" "${fields[2]}"
		rule_names+=("${fields[0]}") rule_conditions+=("${fields[1]}")
		rule_messages+=("${fields[2]}") rule_commands+=("${fields[3]}")
	done <"$1"
	((${#rule_names[@]})) || fail "$1: there is no rule in it"
}

# Ends the run if a message names something that is no figure, or a kind that does not exist.
check_message() { # PLACE MESSAGE
	local rest=$2 part

	while [[ $rest == *'{'* ]]; do
		rest=${rest#*'{'}
		part=${rest%%'}'*}
		[[ $rest != *'}'* ]] || part+='}'
		[[ $part =~ ^([a-z0-9_]+)(:[tpnbco])?\}$ && " ${figures[*]} " == *" ${BASH_REMATCH[1]} "* ]] ||
			fail "$1: '{$part' is not a figure, such as {busy:t} or {top_name}"
		rest=${rest#*'}'}
	done
}

# Sets holding to the indices of the first rules that hold, at most five, and the figure rules. One call asks
# for all; if it fails, one for each tells which is wrong, or answers if all are too long for one.
ask_rules() { # FILE
	local i columns='' fields names=''

	for i in "${!rule_names[@]}"; do
		columns+=",rule$i=1 == 1 && ${rule_conditions[i]}"
	done
	split "$(kselect -H -c "${columns:1}" "$dir/figures.kev" 2>/dev/null)"
	[[ ${#fields[@]} == "${#rule_names[@]}" && ${fields[0]} ]] || ask_each_rule "$1"
	for i in "${!rule_names[@]}"; do
		[[ ${fields[i]} == 1 ]] || continue
		names+=", ${rule_names[i]}"
		((${#holding[@]} == 5)) || holding+=("$i")
	done
	F[rules]=${names:2}
}

# Sets fields to 1 for each rule that holds.
ask_each_rule() { # FILE
	local i

	for i in "${!rule_names[@]}"; do
		fields[i]=$(kselect -H -w "${rule_conditions[i]}" -c holds=1 <"$dir/figures.kev" 2>"$dir/own/messages") || {
			pass_messages "$dir/own/messages"
			fail "$1: rule ${rule_names[i]}: the condition is wrong"
		}
	done
}
