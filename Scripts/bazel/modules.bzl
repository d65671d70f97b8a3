"""Modules of Swift as Package.swift builds them."""

load("@build_bazel_rules_swift//swift:swift.bzl", "swift_library")

swift_copts = [
    "-swift-version",
    "6",
    "-package-name",
    "dflat",
]

def swift_module(name, path = None, deps = [], copts = []):
    """A library of the Swift files of a folder.

    Args:
      name: The name of the target, and of the module.
      path: The folder; by default Sources/ and the name.
      deps: The modules that it imports.
      copts: More options of the compiler.
    """
    swift_library(
        name = name,
        srcs = native.glob([(path or "Sources/" + name) + "/**/*.swift"]),
        copts = swift_copts + copts,
        module_name = name,
        deps = deps,
    )
