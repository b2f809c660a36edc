# shellcheck shell=bash
# The environment with TensorFlow for GPUs (.venv-gpu), and the emulated GPU: sourced by ../str after setup.sh, made on
# first use only.

# shellcheck disable=SC2154  # root, build, log and venv are set by the sourcing script and setup.sh.
gpu_venv="$root/.venv-gpu"
gpu_venv_stamp="$gpu_venv/.str-requirements"
emulated_gpu="$build/emulated_gpu"
emulated_gpu_stamp="$emulated_gpu/built"
emulated_gpu_sources=(WORKSPACE .bazelrc bazel tests/fake_gpu)
# The names under which TensorFlow opens NVIDIA's libraries: the emulated GPU answers to all of them.
nvidia_libraries=(libcuda.so.1 libcudart.so.12 libcublas.so.12 libcublasLt.so.12 libcudnn.so.9 libcufft.so.11
  libcusolver.so.11 libcusparse.so.12 libnvidia-ml.so.1)

# As set_up leaves it set, what the caller had is kept here.
launcher_was_ready="${STR_LAUNCHER_READY:-}"

gpu_requirements_hash() { sha256sum <"$root/requirements-gpu.txt"; }

gpu_venv_is_current() {
  [[ -f "$gpu_venv_stamp" && "$(<"$gpu_venv_stamp")" == "$(gpu_requirements_hash)" && -x "$gpu_venv/bin/python" ]]
}

# Bazel finds CUDA's headers by this variable; without it there are no targets that need them. Fails if there are none.
find_cuda_headers() {
  local headers
  unset STR_CUDA_HEADERS
  for headers in "$gpu_venv"/lib/python3*/site-packages/tensorflow/include/third_party/gpus/cuda/include; do
    [[ -d "$headers" ]] || continue
    export STR_CUDA_HEADERS="$headers"
    return
  done
  return 1
}

make_gpu_venv() {
  gpu_venv_is_current && return
  if [[ ! -f "$gpu_venv_stamp" ]] || ! "$gpu_venv/bin/python" -c '' 2>/dev/null; then
    rm -rf "$gpu_venv"
    stage "making .venv-gpu" "$venv/bin/python" -m venv "$gpu_venv"
  fi
  stage "installing requirements-gpu.txt into .venv-gpu (TensorFlow for GPUs is 570 MB)" \
    "$gpu_venv/bin/python" -m pip --quiet --disable-pip-version-check install -r "$root/requirements-gpu.txt"
  gpu_requirements_hash >"$gpu_venv_stamp"
}

emulated_gpu_is_current() {
  [[ -f "$emulated_gpu_stamp" && ! "$gpu_venv_stamp" -nt "$emulated_gpu_stamp" ]] || return 1
  [[ ! "$venv_stamp" -nt "$emulated_gpu_stamp" ]] || return 1
  [[ -z "$(cd "$root" && find "${emulated_gpu_sources[@]}" -newer "$emulated_gpu_stamp" ! -name '*.md' -print -quit)" ]]
}

build_emulated_gpu() {
  emulated_gpu_is_current && return
  local started="$build/emulated_gpu.new" name
  touch "$started"
  find_cuda_headers || fail "TensorFlow in .venv-gpu has no CUDA headers; delete .venv-gpu to make it anew"
  stage "building the emulated GPU" run_bazel build --symlink_prefix="$build/bazel-" --noshow_progress \
    //tests/fake_gpu:libfake_gpu.so //tests/fake_gpu/host_kernels:libfake_gpu_kernels.so
  install_file "$build/bazel-bin/tests/fake_gpu/libfake_gpu.so" "$emulated_gpu/lib/libfake_gpu.so"
  for name in "${nvidia_libraries[@]}"; do
    ln -sfn libfake_gpu.so "$emulated_gpu/lib/$name"
  done
  install_file "$build/bazel-bin/tests/fake_gpu/host_kernels/libfake_gpu_kernels.so" \
    "$emulated_gpu/site-packages/tensorflow-plugins/libfake_gpu_kernels.so"
  mv -f "$started" "$emulated_gpu_stamp"
}

# After set_up. A nested ./str uses what is there.
set_up_gpu() {
  if [[ -n "$launcher_was_ready" && -f "$gpu_venv_stamp" && -f "$emulated_gpu_stamp" ]]; then
    return
  fi
  if ! gpu_venv_is_current || ! emulated_gpu_is_current; then
    (
      flock 9
      make_gpu_venv
      build_emulated_gpu
    ) 9>"$build/lock"
  fi
}

# Puts the emulated GPU in place for what is started next. $1: its memory, such as 512MiB; empty: the default.
# TensorFlow would leave up to 1.5 GB of it to libraries that are not there.
use_emulated_gpu() {
  export TF_DEVICE_MIN_SYS_MEMORY_IN_MB="${TF_DEVICE_MIN_SYS_MEMORY_IN_MB:-1}"
  export LD_LIBRARY_PATH="$emulated_gpu/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export PYTHONPATH="$emulated_gpu/site-packages${PYTHONPATH:+:$PYTHONPATH}"
  if [[ -n "${1:-}" ]]; then
    export FAKE_GPU_MEMORY="$1"
  fi
}
