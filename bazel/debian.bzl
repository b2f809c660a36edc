"""GoogleTest and CLI11 from Debian's packages.

/usr/include as a whole must never become an include directory of the build, so each header tree is linked by itself.
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "googletest",
    srcs = ["lib/libgtest.a", "lib/libgmock.a"],
    hdrs = glob(["include_gtest/**"]),
    includes = ["include_gtest"],
    linkopts = ["-lpthread"],
)

cc_library(
    name = "googletest_main",
    srcs = ["lib/libgtest_main.a"],
    deps = [":googletest"],
)

cc_library(
    name = "cli11",
    hdrs = glob(["include_cli11/**"]),
    includes = ["include_cli11"],
)
"""

def _debian_packages_impl(repository_ctx):
    lib = "/usr/lib/x86_64-linux-gnu/"
    for name in ["libgtest.a", "libgmock.a", "libgtest_main.a"]:
        repository_ctx.symlink(lib + name, "lib/" + name)
    repository_ctx.symlink("/usr/include/gtest", "include_gtest/gtest")
    repository_ctx.symlink("/usr/include/gmock", "include_gtest/gmock")
    repository_ctx.symlink("/usr/include/CLI", "include_cli11/CLI")
    repository_ctx.file("BUILD", _BUILD)

debian_packages = repository_rule(
    implementation = _debian_packages_impl,
    local = True,
)
