"""CUDA's headers, from TensorFlow's wheel for GPUs in .venv-gpu, if it is there.

The launcher sets STR_CUDA_HEADERS, so that Bazel looks again once the environment was made.
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    hdrs = glob(["include/**"]),
    includes = ["include"],
)
"""

_HEADERS = "site-packages/tensorflow/include/third_party/gpus/cuda/include"

def _find_headers(repository_ctx):
    named = repository_ctx.os.environ.get("STR_CUDA_HEADERS", "")
    if named:
        if not repository_ctx.path(named).exists:
            fail("STR_CUDA_HEADERS: there is no folder " + named)
        return [named]
    root = repository_ctx.path(Label("//:WORKSPACE")).dirname
    libraries = root.get_child(".venv-gpu").get_child("lib")
    if not libraries.exists:
        return []
    candidates = [str(python) + "/" + _HEADERS for python in libraries.readdir()]
    return [path for path in candidates if repository_ctx.path(path).exists]

def _cuda_wheel_impl(repository_ctx):
    found = _find_headers(repository_ctx)
    if found:
        repository_ctx.symlink(found[0], "include")
    repository_ctx.file("BUILD", _BUILD if found else "")

    # For targets that need the headers: [cc_library(...) for _ in CUDA_HEADERS] makes none where there are none.
    repository_ctx.file("found.bzl", "CUDA_HEADERS = %s\n" % (["found"] if found else []))

cuda_wheel = repository_rule(
    implementation = _cuda_wheel_impl,
    environ = ["STR_CUDA_HEADERS"],
    local = True,
)
