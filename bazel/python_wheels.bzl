"""Finds TensorFlow, HiGHS and protoc in the wheels of the project's virtual environment.

Nothing is imported to find them: importlib's find_spec takes milliseconds, importing TensorFlow takes seconds.
"""

_FIND = """
import importlib.util, sys
for name in ("tensorflow", "highspy", "highsbox"):
    spec = importlib.util.find_spec(name)
    if spec is None:
        sys.exit("the Python package '%s' is missing: run ./str once, it installs requirements.txt" % name)
    print(spec.submodule_search_locations[0])
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

# abseil and protobuf as TensorFlow carries them: headers from its include tree, symbols from its framework library.
cc_library(
    name = "absl_protobuf",
    srcs = ["tensorflow/libtensorflow_framework.so.2"],
    hdrs = glob(["tensorflow/include/absl/**", "tensorflow/include/google/**"]),
    includes = ["tensorflow/include"],
)

cc_library(
    name = "tensorflow",
    hdrs = glob(
        [
            "tensorflow/include/tensorflow/**",
            "tensorflow/include/tsl/**",
            "tensorflow/include/xla/**",
            "tensorflow/include/Eigen/**",
            "tensorflow/include/unsupported/**",
            "tensorflow/include/ml_dtypes/**",
            "tensorflow/include/third_party/**",
            "tensorflow/include/external/**",
        ],
    ),
    includes = ["tensorflow/include"],
    deps = [":absl_protobuf"],
)

# TensorFlow's runtime: the graph passes, shape functions and kernels. Only for plugin tests: it is 285 MB.
cc_library(
    name = "tensorflow_cc",
    srcs = ["tensorflow/libtensorflow_cc.so.2"],
    deps = [":tensorflow"],
)

# HiGHS's C interface: headers of one wheel, the library of the other. highsbox's own library has the old C++ ABI.
cc_library(
    name = "highs",
    srcs = ["highs/libhighs.so.1"],
    hdrs = glob(["highs/include/**"]),
    includes = ["highs/include"],
)

exports_files(["protoc"])
"""

def _python_wheels_impl(repository_ctx):
    root = repository_ctx.path(Label("//:WORKSPACE")).dirname
    python = root.get_child(".venv").get_child("bin").get_child("python")
    if not python.exists:
        fail("no .venv here: run ./str once, it makes the virtual environment")
    found = repository_ctx.execute([str(python), "-c", _FIND])
    if found.return_code != 0:
        fail(found.stderr)
    tensorflow, highspy, highsbox = found.stdout.strip().split("\n")
    for name in ["include", "libtensorflow_framework.so.2", "libtensorflow_cc.so.2"]:
        repository_ctx.symlink(tensorflow + "/" + name, "tensorflow/" + name)
    repository_ctx.symlink(highspy + "/libhighs.so.1", "highs/libhighs.so.1")
    repository_ctx.symlink(highsbox + "/highs_dist/include/highs", "highs/include")
    repository_ctx.symlink(str(python.dirname) + "/protoc", "protoc")
    repository_ctx.file("BUILD", _BUILD)

python_wheels = repository_rule(
    implementation = _python_wheels_impl,
    local = True,
)
