# Made streams for kcontext --capture: functions that print rows. Kernels are the words of a text.

now=0
id=0
thread=9
dims=1

begin() {
	printf '##kev\t1\n#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tExternal id\tkernel\tInput Dims\n'
}

row() { # TS DUR NAME CAT PID TID CORRELATION KERNEL DIMS
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t\t%s\t%s\n' "$@"
}

call() { # NAME KERNEL
	id=$((id + 1)) now=$((now + 10))
	row $now 1 "$1" cuda_runtime 9 $thread $id "${2-}" ''
}

# Each launch is in an operator op_KERNEL whose Input Dims are the number $dims.
launches() { # KERNELS
	local kernel name

	for kernel in $1; do
		name=hipLaunchKernel
		[[ $kernel != copy ]] || name=hipMemcpyAsync
		[[ $kernel != memset ]] || name=hipMemsetAsync
		call $name "$kernel"
		row $((now - 1)) 3 "op_$kernel" cpu_op 9 $thread '' '' "[[$dims]]"
	done
}

# A capture for each text of kernels, in one annotation unless its name is empty.
capture() { # NAME KERNELS...
	local start=$now kernels

	for kernels in "${@:2}"; do
		call hipStreamBeginCapture
		launches "$kernels"
		call hipStreamEndCapture
	done
	now=$((now + 10))
	[[ ! $1 ]] || row $((start + 1)) $((now - start - 1)) "$1" user_annotation 9 $thread '' '' ''
}

device() { # KERNELS CORRELATION
	local at=$((now + 100)) kernel

	for kernel in $1; do
		at=$((at + 2))
		case $kernel in
		copy) row $at 1 'Memcpy DtoD' gpu_memcpy 0 7 $2 '' '' ;;
		memset) row $at 1 'Memset (Device)' gpu_memset 0 7 $2 '' '' ;;
		*) row $at 1 "$kernel" kernel 0 7 $2 '' '' ;;
		esac
	done
}

# Kernels that operators launch one by one.
eager() { # KERNELS
	local kernel

	for kernel in $1; do
		launches "$kernel"
		device "$kernel" $id
	done
}

# A launch of a graph for each text of kernels, in one step unless its name is empty.
replay() { # STEP KERNELS...
	local start=$now kernels

	for kernels in "${@:2}"; do
		call hipGraphLaunch
		device "$kernels" $id
	done
	now=$((now + 10))
	[[ ! $1 ]] || row $((start + 1)) $((now - start - 1)) "$1" user_annotation 9 $thread '' '' ''
}

# The columns of a table that --capture fills, with its metadata.
table() { # FILE...
	awk -F '\t' -v OFS='\t' '
		/^##capture/ { print; next }
		/^##/ { next }
		/^#/ { for (i = 1; i <= NF; i++) { sub(/^#/, "", $i); at[$i] = i } }
		{ print $at["name"], $at["cpu_op"], $at["Input Dims"], $at["op_id"], $at["capture"] }' "$@"
}
