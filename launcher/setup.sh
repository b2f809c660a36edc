# shellcheck shell=bash
# Set-up on first use, sourced by ../str: Debian packages, .venv, build. Each stage runs only if its result is missing
# or older than what it is made from. One line per stage on stderr; what the tools print goes to .build/setup.log.
#
# STR_BAZEL_OUTPUT_BASE: where Bazel keeps its files (default: Bazel's own).
# STR_LAUNCHER_READY: set for what the launcher starts, so that a nested ./str uses what is there instead of checking.

# shellcheck disable=SC2154  # root is set by the sourcing script.
venv="$root/.venv"
build="$root/.build"
log="$build/setup.log"
venv_stamp="$venv/.str-requirements"
build_stamp="$build/built"
plugins="$build/site-packages/tensorflow-plugins"
# What TensorFlow loads, last, and what that opens (tf_plugin/loader.cc).
plugin_files=(str/libstr_cpu.so str/libstr_gpu.so libstr_tf.so)
sources=(BUILD WORKSPACE .bazelrc bazel config optimizer strategies tf_plugin)

say() { echo "str: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

# stage TEXT COMMAND...: runs the command with its output in the log; shows the log's end if it fails.
stage() {
  say "$1"
  shift
  local status=0
  echo "== $*" >>"$log"
  "$@" >>"$log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then
    tail -n 30 "$log" >&2
    fail "failed (exit $status): the above is the end of $log"
  fi
}

requirements_hash() { sha256sum <"$root/requirements.txt"; }

venv_is_current() {
  [[ -f "$venv_stamp" && "$(<"$venv_stamp")" == "$(requirements_hash)" && -x "$venv/bin/python" ]]
}

build_is_current() {
  local file
  [[ -f "$build_stamp" && -x "$build/bin/str" ]] || return 1
  for file in "${plugin_files[@]}"; do [[ -f "$plugins/$file" ]] || return 1; done
  [[ ! "$venv_stamp" -nt "$build_stamp" ]] || return 1
  [[ -z "$(cd "$root" && find "${sources[@]}" -newer "$build_stamp" ! -name '*.md' -print -quit)" ]]
}

# Prints the packages of packages.txt that are not installed.
missing_packages() {
  local package
  while read -r package; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
      echo "$package"
    fi
  done < <(grep -v '^#' "$root/launcher/packages.txt")
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ "$(id -u)" -ne 0 ]]; then
    say "these Debian packages are missing: ${missing[*]}"
    fail "install them, as root: apt-get update && apt-get install ${missing[*]}"
  fi
  export DEBIAN_FRONTEND=noninteractive
  stage "updating the package lists" apt-get update
  stage "installing Debian packages: ${missing[*]}" apt-get install -y --no-install-recommends "${missing[@]}"
}

# Prints a Python for which TensorFlow's wheel exists: the one on PATH, else Debian's.
find_python() {
  local candidate
  local suits='import ensurepip, sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))'
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c "$suits" 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail "no Python 3.10 to 3.13 with ensurepip found (python3 on PATH, /usr/bin/python3)"
}

# The stamp is written last: without one the environment is half made and is made anew.
make_venv() {
  venv_is_current && return
  if [[ ! -f "$venv_stamp" ]] || ! "$venv/bin/python" -c '' 2>/dev/null; then
    local python
    python="$(find_python)"
    rm -rf "$venv"
    stage "making .venv" "$python" -m venv "$venv"
  fi
  stage "installing requirements.txt into .venv (TensorFlow is 300 MB)" \
    "$venv/bin/python" -m pip --quiet --disable-pip-version-check install -r "$root/requirements.txt"
  requirements_hash >"$venv_stamp"
}

# The lock's descriptor stays out of Bazel, whose server outlives this script.
run_bazel() {
  local startup=()
  if [[ -n "${STR_BAZEL_OUTPUT_BASE:-}" ]]; then
    startup+=(--output_base="$STR_BAZEL_OUTPUT_BASE")
  fi
  (cd "$root" && bazel "${startup[@]}" "$@") 9>&-
}

# Copies through a temporary name, so that nobody ever runs half a file.
install_file() {
  mkdir -p "$(dirname "$2")"
  cp -fL "$1" "$2.new.$$"
  chmod 755 "$2.new.$$"
  mv -f "$2.new.$$" "$2"
}

# The stamp gets the time before the build: a source saved while it runs is built next time.
build_all() {
  build_is_current && return
  local started="$build/built.new" file
  touch "$started"
  stage "building (the first time takes some minutes)" \
    run_bazel build --symlink_prefix="$build/bazel-" --noshow_progress //optimizer/tools:str \
    //tf_plugin:libstr_tf.so //tf_plugin:libstr_cpu.so //tf_plugin:libstr_gpu.so
  install_file "$build/bazel-bin/optimizer/tools/str" "$build/bin/str"
  for file in "${plugin_files[@]}"; do
    install_file "$build/bazel-bin/tf_plugin/$(basename "$file")" "$plugins/$file"
  done
  mv -f "$started" "$build_stamp"
}

set_up() {
  if [[ -z "${STR_LAUNCHER_READY:-}" ]] && ! { venv_is_current && build_is_current; }; then
    mkdir -p "$build"
    (
      flock 9
      : >"$log"
      install_packages
      make_venv
      build_all
    ) 9>"$build/lock"
  fi
  export STR_LAUNCHER_READY=1
}
