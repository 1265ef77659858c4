# versions - the folder of a database, named after the versions of vllm-ascend, torch and CANN.
#
# Reads option. Sets versions.
# shellcheck shell=bash

is_version() { # TEXT
	local LC_ALL=C

	[[ $1 =~ ^[0-9A-Za-z]+([._+-][0-9A-Za-z]+)*$ ]]
}

# Prints a version without the prefix vllm, torch, cann or v, and that of torch without +BUILD.
# False if the rest is not a version.
clean_version() { # vllm|torch|cann TEXT
	local text=${2#"$1"}

	text=${text#v}
	[[ $1 != torch ]] || text=${text%%+*}
	is_version "$text" && echo "$text"
}

# Prints the version in the files of a toolkit. The folders are searched in this order, because
# the driver and the firmware below /usr/local/Ascend have a version.info with another version.
toolkit_version() {
	local root file line

	for root in "${ASCEND_HOME_PATH-}" "${ASCEND_TOOLKIT_HOME-}" "${ASCEND_TOOLKIT_HOME_PATH-}" \
		"${ASCEND_INSTALL_PATH-}" "${HOME-}/Ascend/cann" /usr/local/Ascend; do
		[[ $root ]] || continue
		for file in "$root"/{,latest/,cann/,ascend-toolkit/latest/}{version.info,ascend_toolkit_install.info,compiler/version.info,*-linux/ascend_toolkit_install.info}; do
			[[ -f $file && -r $file ]] || continue
			while IFS= read -r line || [[ $line ]]; do
				[[ $line =~ ^[[:space:]]*[Vv]ersion[[:space:]]*=[[:space:]]*\"?([^\"[:space:]]+) ]] ||
					continue
				echo "${BASH_REMATCH[1]}"
				return
			done <"$file"
		done
	done
}

installed_version() { # vllm|torch|cann
	local text=''

	case $1 in
	vllm) text=$(python_says 'from importlib.metadata import version; print(version("vllm-ascend"))') ;;
	torch) text=$(python_says 'from importlib.metadata import version; print(version("torch"))') ;;
	cann)
		text=$(python_says 'from torch_npu.npu.utils import get_cann_version; print(get_cann_version())')
		[[ $text == *[0-9]* ]] || text=$(toolkit_version)
		;;
	esac
	[[ $text == *[0-9]* ]] && clean_version "$1" "$text"
}

# Sets versions if --vllm-version is the whole name of a folder. False if it is not.
take_versions() {
	local text whole=${option[vllm-version]} parts

	[[ $whole =~ ^vllm(.+)_torch(.+)_cann(.+)$ ]] || return
	parts=("${BASH_REMATCH[@]:1}")
	[[ ${option[torch-version]}${option[cann-version]} == '' ]] ||
		fail "--vllm-version: '$whole' names all versions; omit --torch-version and --cann-version"
	for text in "${parts[@]}"; do
		is_version "$text" || fail "--vllm-version: '$text' in '$whole' is not a version"
	done
	versions=$whole
}

# Sets versions to vllmV_torchT_cannC.
name_versions() {
	local kind text

	versions=''
	if take_versions; then
		return
	fi
	for kind in vllm torch cann; do
		if [[ ${option[$kind-version]} ]]; then
			text=$(clean_version "$kind" "${option[$kind-version]}") ||
				fail "--$kind-version: '${option[$kind-version]}' is not a version such as 2.9.0 or 8.5.RC1"
		else
			text=$(installed_version "$kind") ||
				fail "the version of $kind is unknown; set --$kind-version or --database-path"
		fi
		versions+=${versions:+_}$kind$text
	done
}
