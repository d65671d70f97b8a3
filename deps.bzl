"""What dflat needs of other projects. Documentation/bazel.md tells how it is used."""

load("@bazel_tools//tools/build_defs/repo:git.bzl", "new_git_repository")

# The commits are those of Package.resolved: a test compares them.
_PACKAGES = {
    "dflat_open_combine": struct(
        remote = "https://github.com/OpenCombine/OpenCombine",
        commit = "071c0d15eedee5d68cfbae0658e840db16ef2541",
        build_file = "open-combine.BUILD",
    ),
    "dflat_swift_argument_parser": struct(
        remote = "https://github.com/apple/swift-argument-parser",
        commit = "436bde4bb9489201ca6662f5cf94ec45fa8e244e",
        build_file = "swift-argument-parser.BUILD",
    ),
}

def dflat_deps():
    """Declares the repositories that dflat needs. rules_swift, of the version that the app uses, is the app's to declare."""
    for name, package in _PACKAGES.items():
        if not native.existing_rule(name):
            new_git_repository(
                name = name,
                build_file = Label("//Scripts/bazel:" + package.build_file),
                commit = package.commit,
                remote = package.remote,
            )
