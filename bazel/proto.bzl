"""C++ code from .proto files, by the protoc that matches TensorFlow's protobuf."""

def str_cc_proto(name, srcs, visibility):
    headers = [src.replace(".proto", ".pb.h") for src in srcs]
    sources = [src.replace(".proto", ".pb.cc") for src in srcs]
    native.genrule(
        name = name + "_gen",
        srcs = srcs,
        outs = headers + sources,
        cmd = "$(location @wheels//:protoc) --cpp_out=$(GENDIR) -I. $(SRCS)",
        tools = ["@wheels//:protoc"],
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        copts = ["-w"],
        visibility = visibility,
        deps = ["@wheels//:absl_protobuf"],
    )
