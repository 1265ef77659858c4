# Makes a page of the HTML of mandoc, with the pictures of its examples, which are in the folder examples.

{
	title = name_of(page) " - " summary($0)
	head(title)
	print "<header><a href=\"index.html\">kevtools</a></header>\n<h1>" name_of(page) ": " summary($0) "</h1>"
	cut($0, "id=\"NAME\"")
	cut(rest, "</section>\n")
	body = cut(rest, "<table class=\"foot\">")
	foot = rest
	sub(/<\/div>\n*$/, "", body)
	cut(foot, "<td class=\"foot-date\">")
	date = cut(rest, "</td>")
	print "<nav>" contents(body) "</nav>\n<main>"

	body = without_dead_links(body)
	gsub(/ *<dd style="width: auto;">&#x00A0;<\/dd>\n/, "", body)
	gsub(/<h2/, "<h3", body)
	gsub(/<\/h2/, "</h3", body)
	gsub(/<h1/, "<h2", body)
	gsub(/<\/h1/, "</h2", body)
	while (index(body, "<pre>")) {
		printf "%s<pre>", cut(body, "<pre>")
		block = cut(rest, "</pre>")
		body = rest
		printf "%s</pre>", with_figures(block)
		if (figures != "") {
			printf "%s</div>\n%s", cut(body, "</div>"), figures
			body = rest
		}
	}
	print body "</main>\n<footer>kevtools " version ", " date "</footer>\n</body>\n</html>"
}
