# page - of kreport: the document as one file of HTML, which asks nothing of the network.
#
# Reads dir and library. dir/filled is the document, with its sentences escaped.
# shellcheck shell=bash

# Prints text for HTML, also in quotes.
escape_html() { # TEXT
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g' <<<"$1"
}

# Prints a picture of a table, or what is missing for it.
print_picture() { # TABLE LABEL KPLOT_ARGUMENT...
	local svg=$dir/own/$1.svg

	grep -a -v $'^##damaged\t' "$dir/$1.kev" | kplot bars --title= -o "$svg" "${@:3}" 2>"$dir/own/messages" ||
		[[ -s $svg ]] || {
		printf '<p class="missing">%s</p>\n' "$(escape_html "No picture: $(tail -n 1 "$dir/own/messages")")"
		return
	}
	printf '<figure>\n'
	sed -n '/<svg/,$p' "$svg" | sed "1s/<svg/& role=\"img\" aria-label=\"$2\"/"
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
	local kind text more lines title sections=() list='' open=''

	IFS=$'\t' read -r _ title < <(grep -m 1 $'^title\t' "$dir/filled")
	mapfile -t sections < <(grep $'^section\t' "$dir/filled" | cut -f 2,3)
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
			[[ $open ]] && printf '</section>\n' || {
				printf '<nav>\n'
				printf '%s\n' "${sections[@]}" | sed 's|\(.*\)\t\(.*\)\t*|<a href="#\1">\2</a>|'
				printf '</nav>\n'
			}
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
			printf '<details><summary>Command</summary>\n<pre class="command">%s</pre></details>\n' \
				"$(escape_html "$lines")"
			;;
		table)
			break_command "${command_of[$text]}" 100
			printf '<div data-table="%s">\n<h3>%s</h3>\n' "$text" "$more"
			picture_of "$text"
			printf '<div class="scroll" tabindex="0">\n'
			# A long text shows its first lines, and all of it after a click.
			view "$text" --html | sed -E 's|<td>([^<]{150,})</td>|<td><div class="long" tabindex="0">\1</div></td>|'
			printf '</div>\n<details><summary>Command</summary>\n<pre class="command">%s</pre></details>\n</div>\n' \
				"$(escape_html "$lines")"
			;;
		esac
	done <"$dir/filled"
	[[ ! $list ]] || printf '</li>\n</ul>\n'
	[[ ! $open ]] || printf '</section>\n'
	printf '</main>\n</body>\n</html>\n'
}
