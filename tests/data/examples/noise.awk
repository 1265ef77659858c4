# noise.awk - another run of the same kernels: awk -v run=N [-v norm=FACTOR] -f noise.awk
# Durations are up to 2 % longer, and those of norms FACTOR times as long.
BEGIN { FS = OFS = "\t"; if (!norm) norm = 1 }
!/^#/ {
	noise = (run * 7919 + norm * 104729) * NR % 101 / 5000
	$2 = sprintf("%.3f", $2 * (1 + noise) * ($4 ~ /norm/ ? norm : 1))
}
{ print }
