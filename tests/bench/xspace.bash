# tests/bench/xspace.bash - the jobs of XSpaces, which scripts/bench sources.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of scripts/bench

# No other program makes rows of an XSpace; cat shows what reading the file takes.
xspace_job() { # TITLE FILE CHECK
	job "$1" "$(stat -c %s "$2")"
	expected[wide]=$(sums "$2" rows)
	ours "$3" "xplane2tsv $2"
	against cat '' none "cat $2"
	compare
}

xspace_rows() {
	local kernels=$data/gpu-$tag.xplane.pb host=$data/host-$tag.xplane.pb

	input "$kernels" mkxplane -n "$((rows / 2))"
	input "$host" mkxplane --host -n "$((size / 31))"
	xspace_job "$((rows / 2)) rows of an XSpace" "$kernels" wide
	xspace_job "$gigabyte of an XSpace that is left out" "$host" none
}

# All of the plane is in memory.
xspace_memory() {
	local kernels=$data/gpu-$tag.xplane.pb

	input "$kernels" mkxplane -n "$((rows / 2))"
	bounded "$((8 + $(stat -c %s "$kernels") / 1048576))" wide "$(sums "$kernels" rows)" "xplane2tsv $kernels"
}
