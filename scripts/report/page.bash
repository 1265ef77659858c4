# page - of kreport: the document as one file of HTML, which asks nothing of the network.
#
# Reads dir and library. dir/filled is the document, with its sentences escaped.
# shellcheck shell=bash

# Sets escaped to text for HTML, also in quotes.
escape_html() { # TEXT
	local LC_ALL=C and='&amp;' less='&lt;' more='&gt;' quote='&quot;'

	escaped=${1//&/"$and"}
	escaped=${escaped//</"$less"}
	escaped=${escaped//>/"$more"}
	escaped=${escaped//\"/"$quote"}
}

# Prints a picture of a table, or what is missing for it.
print_picture() { # TABLE LABEL KPLOT_ARGUMENT...
	local svg=$dir/own/$1.svg escaped

	of_table "$1" kplot bars --title= -o "$svg" "${@:3}" 2>"$dir/own/messages" || [[ -s $svg ]] || {
		escape_html "No picture: $(tail -n 1 "$dir/own/messages")"
		printf '<p class="missing">%s</p>\n' "$escaped"
		return
	}
	printf '<figure>\n'
	sed -n "/<svg/,\$ { s/<svg/& role=\"img\" aria-label=\"$2\"/; p; }" "$svg"
	printf '</figure>\n'
}

# Prints the picture that belongs to a table, if one does.
picture_of() { # TABLE
	case $1 in
	classes) [[ ${F[class]-} ]] && print_picture "$1" 'Time of classes' -k op ;;
	kernels) [[ ${F[top_name]-} ]] && print_picture "$1" 'Time of kernels' -k name ;;
	steps) print_picture "$1" 'Time of each step, by kind' --stack -k step -y compute,comm_exposed,copy_exposed,idle ;;
	causes) print_picture "$1" 'Idle time by cause' -k cause ;;
	collectives) print_picture "$1" 'Time of collectives' -k name ;;
	host) print_picture "$1" 'Own time on the host' -k name ;;
	work) ! some headroom || print_picture "$1" 'Time above the roof' -k cpu_op -y headroom ;;
	esac
}

print_html() {
	local kind text more lines escaped title='' contents='' list='' open=''

	while IFS=$'\t' read -r kind text more; do
		[[ $kind != title ]] || title=$text
		[[ $kind != section ]] || contents+="<a href=\"#$text\">$more</a>"$'\n'
	done <"$dir/filled"
	cat <<-END
		<!DOCTYPE html>
		<html lang="en">
		<head>
		<meta charset="utf-8">
		<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
		<meta name="viewport" content="width=device-width, initial-scale=1">
		<title>$title</title>
		<style>
		$(<"$library/style.css")
		</style>
		</head>
		<body>
		<main>
		<h1>$title</h1>
	END
	while IFS=$'\t' read -r kind text more; do
		if [[ $list && $kind != @(rule|command) ]]; then
			printf '</li>\n</ul>\n'
			list=''
		fi
		case $kind in
		alert) printf '<p role="alert">%s</p>\n' "$text" ;;
		section)
			[[ $open ]] && printf '</section>\n' || printf '<nav>\n%s</nav>\n' "$contents"
			printf '<section id="%s">\n<h2>%s</h2>\n' "$text" "$more"
			open=yes
			;;
		answer | missing | note) printf '<p class="%s">%s</p>\n' "$kind" "$text" ;;
		rule)
			[[ $list ]] && printf '</li>\n' || printf '<ul>\n'
			list=yes
			printf '<li data-rule="%s">%s\n' "$text" "$more"
			;;
		command)
			break_command "$text" 100
			escape_html "$lines"
			printf '<details><summary>Command</summary>\n<pre class="command">%s</pre></details>\n' "$escaped"
			;;
		table)
			break_command "${command_of[$text]}" 100
			printf '<div data-table="%s">\n<h3>%s</h3>\n' "$text" "$more"
			picture_of "$text"
			printf '<div class="scroll" tabindex="0">\n'
			# A long text shows its first lines, and all of it after a click.
			view "$text" --html | sed -E 's|<td>([^<]{150,})</td>|<td><div class="long" tabindex="0">\1</div></td>|'
			escape_html "$lines"
			printf '</div>\n<details><summary>Command</summary>\n<pre class="command">%s</pre></details>\n</div>\n' \
				"$escaped"
			;;
		esac
	done <"$dir/filled"
	[[ ! $list ]] || printf '</li>\n</ul>\n'
	[[ ! $open ]] || printf '</section>\n'
	printf '</main>\n</body>\n</html>\n'
}
