# Made traces for kfusion: graphs of so many layers of these kernels, each name:class, one launch each.
kernels() { # LAUNCHES LAYERS NAME:CLASS...
	awk -v launches="$1" -v layers="$2" -v list="$(shift 2; printf '%s\t' "$@")" 'BEGIN {
		OFS = "\t"
		print "#ts", "dur", "name", "pid", "correlation", "step", "phase", "op"
		n = split(list, kernel, "\t") - 1
		for (launch = 1; launch <= launches; launch++)
			for (layer = 0; layer < layers; layer++)
				for (i = 1; i <= n; i++) {
					split(kernel[i], part, ":")
					print ++ts, 1 + i / 4, part[1], 0, launch, launch, "decode", part[2]
				}
	}'
}

fused() { # LAUNCHES LAYERS
	kernels "$1" "$2" 'flash:Attention (Decode)' 'o_gemm:Dense GEMM' 'rms_gemm:RMSNorm+GEMM' 'silu:Activation'
}

unfused() { # LAUNCHES LAYERS
	kernels "$1" "$2" 'flash:Attention (Decode)' 'o_gemm:Dense GEMM' 'rms:RMSNorm' 'up_gemm:Dense GEMM' 'silu:Activation'
}
