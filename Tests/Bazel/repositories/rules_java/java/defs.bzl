"""The rules for Java that Bazel's own Java toolchains load by this name, which it looks at in any build: Bazel 4 has them built in."""

java_binary = native.java_binary
java_import = native.java_import
java_runtime = native.java_runtime
java_toolchain = native.java_toolchain
