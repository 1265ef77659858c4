# check - what there is to measure, and whether it can be measured and merged. Writes nothing.
#
# Reads option, flag, chosen, folder, operators, measured. Sets facts, npus, skipped; takes a skipped
# operator off operators and measured.
# shellcheck shell=bash

DISPATCH=DispatchFFNCombine
CUSTOM=(AddRmsNormBias "$DISPATCH" KvRmsNormRopeCache RINGMLAPrefillBF16Kernel
	split_qkv_rmsnorm_rope_kernel)

# Prints what dbmerge would do without new rows: a row per fact of the files that have one of the
# operators, with `deleted` for rows without a duration. Passes on its messages, except those about
# operators without a file: they have none yet.
examine() { # OPERATOR...
	local table status looked=("$@") only=''

	[[ -d $folder ]] || return 0
	[[ $chosen || -z ${flag[replayed-only]} ]] || only=1
	[[ -z ${flag[add-matmul]} ]] || looked+=("${MATMULS[@]}")
	table=$(
		exec 3>&1
		printf '##kev\t1\n##end\tstart-microbench\n' |
			dbmerge -N -H --prune -d "$folder" ${flag[create]:+--create} \
				${chosen:+"--ops=$(op_list "${looked[@]}")"} \
				${only:+"--only=$(op_list "$@")"} 2>&1 >&3 |
			sed -u '/: --ops: .* has neither a file nor a new row$/d' >&2
		exit "${PIPESTATUS[1]}"
	)
	status=$?
	OPERATORS=$(fields "$@") LC_ALL=C awk -F '\t' "$IN_AWK"' $2 in wanted' <<<"$table"
	return "$status"
}

# Whether every file of the facts has rows, and each row a duration; then reports so.
nothing_to_do() { # FACTS
	local csv

	grep -q '^file' <<<"$1" || return
	! LC_ALL=C awk -F '\t' '$1 == "deleted" || ($1 == "file" && $5 == 0) { found = 1 } END { exit !found }' <<<"$1" ||
		return
	while IFS=$'\t' read -r _ _ csv _; do
		warn "$(listed "$csv"): nothing to do; each row has a duration"
	done < <(LC_ALL=C grep -a '^file' <<<"$1")
}

# Ends the run if a file or the report could not be written: after the measurement it is too late.
check_writable() { # FACTS
	local csv path reports=$folder/reports

	[[ ! -e $reports || (-d $reports && -w $reports) ]] || fail "$reports: no report can be written there"
	while IFS=$'\t' read -r _ _ csv _; do
		path=$folder/$(listed "$csv")
		[[ -w ${path%/*} ]] || fail "${path%/*}: no file can be written there"
	done < <(LC_ALL=C grep -a '^file' <<<"$1")
}

# Ends the run if the database cannot be merged into, or needs no measurement.
check_database() {
	local facts status program

	for program in csv2tsv opagg dbmerge dbreport; do
		command -v "$program" >/dev/null || fail "$program of kevtools is missing on PATH"
	done
	facts=$(examine "${operators[@]}")
	status=$?
	((status < 2)) || exit 2
	((status == 0)) || [[ -z $chosen ]] ||
		fail 'stopped before measuring: a file of the operators cannot be merged'
	if [[ ${option[update-mode]} == missing-only ]] && ((status == 0)); then
		grep -q '^file' <<<"$facts" ||
			fail "$folder: no file of the operators exists, and --update-mode=missing-only makes none"
		! nothing_to_do "$facts" || exit 0
	fi
	check_writable "$facts"
}

# Sets npus.
count_npus() {
	local command=${option[npu-check]} count

	if [[ $command ]]; then
		count=$(bash -c "$command" </dev/null | tail -n 1)
	else
		count=$(python_says 'import torch, torch_npu; print(torch.npu.device_count() if torch.npu.is_available() else 0)')
	fi
	npus=0
	[[ ! $count =~ ^[0-9]{1,6}$ ]] || npus=$((10#$count))
}

# DispatchFFNCombine needs an NPU for each of its ranks on this node.
skip_dispatch() {
	local ep_size=${option[dispatch-ffn-combine-ep-size]} op left=() facts
	local ranks=${option[dispatch-ffn-combine-nproc-per-node]:-$ep_size}

	if [[ ${option[update-mode]} != missing-only ]] || ((ep_size <= 1 || npus == 0 || npus >= ranks)) ||
		! is_one_of "$DISPATCH" "${operators[@]}"; then
		return
	fi
	warn "$DISPATCH: skipped; it needs $ranks NPUs on this node, and $npus are visible"
	for op in "${operators[@]}"; do
		[[ $op == "$DISPATCH" ]] || left+=("$op")
	done
	if ((${#left[@]} == 0)); then
		facts=$(chosen=1 examine "$DISPATCH") || exit 2
		warn "$DISPATCH: rows still without a duration: $(grep -c '^deleted' <<<"$facts")"
		exit 0
	fi
	operators=("${left[@]}")
	measured=("${left[@]}")
	skipped=$DISPATCH
}

# Operators of vllm-ascend are found by two variables.
check_custom() {
	local op wanting=() where blank='^[[:space:]]*$'

	[[ ${ASCEND_CUSTOM_OPP_PATH-} =~ $blank || ${LD_LIBRARY_PATH-} =~ $blank ]] || return
	for op in "${operators[@]}"; do
		is_one_of "$op" "${CUSTOM[@]}" && wanting+=("$op")
	done
	((${#wanting[@]})) || return
	where=$(python_says 'import importlib.util as u, os; print(os.path.dirname(u.find_spec("vllm_ascend").origin))')
	where=${where:-<vllm-ascend>}/_cann_ops_custom/vendors/vllm-ascend
	fail "ASCEND_CUSTOM_OPP_PATH and LD_LIBRARY_PATH must be set for $(join ', ' "${wanting[@]}"); run" \
		"export ASCEND_CUSTOM_OPP_PATH=\"$where\${ASCEND_CUSTOM_OPP_PATH:+:\$ASCEND_CUSTOM_OPP_PATH}\"" \
		"export LD_LIBRARY_PATH=\"$where/op_api/lib/\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}\""
}

check_machine() {
	local program

	count_npus
	skip_dispatch
	check_custom
	for program in msprof python; do
		command -v "$program" >/dev/null ||
			fail "$program is missing; source set_env.sh of the Ascend toolkit"
	done
	((npus)) || fail 'no NPU is visible to --npu-check, or without it to torch.npu'
}
