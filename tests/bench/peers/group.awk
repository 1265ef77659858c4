# What `kgroup -k name` counts and adds up, in binary floats.
BEGIN { FS = "\t" }
!/^#/ { count[$4]++; total[$4] += $2 }
END { for (name in count) printf "%s\t%d\t%.3f\n", name, count[name], total[name] }
