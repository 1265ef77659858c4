# Adds the class of each row by its name, as kclass --rules=class.rules. A name is looked at once.
BEGIN { FS = OFS = "\t" }

function class_of(name, low) {
	low = tolower(name)
	if (low ~ /nccl/)
		return "Communication\tNCCL"
	if (low ~ /flash/)
		return "Attention\tflash"
	if (low ~ /gemm|nvjet|cijk_/)
		return "Dense GEMM\tgemm"
	if (low ~ /norm/)
		return "Norm\tnorm"
	if (low ~ /elementwise|vectorized/)
		return "Elementwise\telementwise"
	if (low ~ /^triton_/)
		return "Fused\tTriton"
	if (low ~ /memset|memcpy|copy/)
		return "Copy/Memory\tmemory"
	return "Other\t" substr(name, 1, 40)
}

/^#/ { next }

{
	if (!($4 in class))
		class[$4] = class_of($4)
	print $0, class[$4]
}
