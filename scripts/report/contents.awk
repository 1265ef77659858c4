# contents.awk - of kreport: the table of `kcheck --contents`, from the ##contents lines of `kcheck`.
$1 == "##contents" && $2 == "linked_share" { row = row $3; next } # in the row before, the last field
{ end_row() }
$1 == "##contents" && $2 == "category" { row = $2 FS $3 FS $4 FS FS; next }
$1 == "##contents" && $2 == "span" { row = $2 FS FS FS $3 FS; next }
$1 == "##contents" { row = $2 FS FS $3 FS FS; next }
/^##/

function end_row() {
	if (row != "" && !rows++)
		print "#contents" FS "category" FS "count" FS "time" FS "share"
	if (row != "")
		print row
	row = ""
}
