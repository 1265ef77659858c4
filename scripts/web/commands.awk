# Prints the commands of the examples of a page as a script.
{
	while (index($0, "<pre>")) {
		cut($0, "<pre>")
		block = cut(rest, "</pre>")
		$0 = rest
		number = split(block, lines, "\n")
		more = 0
		for (i = 1; i <= number; i++) {
			line = lines[i]
			if (!is_command(line)) continue
			sub(/^\$ /, "", line)
			gsub(/&lt;/, "<", line)
			gsub(/&gt;/, ">", line)
			gsub(/&quot;/, "\"", line)
			gsub(/&amp;/, "\\&", line)
			print line
		}
	}
}
