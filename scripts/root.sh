# shellcheck shell=sh
# Sourced by the scripts that need root for single commands.

# as_root runs a command as root: directly, or with sudo.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "$0: root is needed for: $*" >&2
		echo "$0: run it as root, or install sudo" >&2
		return 1
	fi
}
