"""The part of rules_swift that the test needs, since a test that downloads nothing cannot have rules_swift itself.

It runs the `swiftc` that is in PATH.
"""

SwiftModules = provider(
    doc = "What a target that imports a module needs.",
    fields = {
        "interfaces": "The .swiftmodule files of the module and of what it imports.",
        "objects": "Their object files.",
    },
)

def _c_context(deps):
    return cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in deps if CcInfo in dep])

def _compile(ctx, module, parse_as_library):
    swift_deps = [dep[SwiftModules] for dep in ctx.attr.deps if SwiftModules in dep]
    imported = depset(transitive = [dep.interfaces for dep in swift_deps])
    c = _c_context(ctx.attr.deps)
    headers = c.compilation_context
    interface = ctx.actions.declare_file(module + ".swiftmodule")
    object = ctx.actions.declare_file(ctx.label.name + ".o")

    arguments = ctx.actions.args()
    arguments.add_all(["-c", "-wmo", "-Onone", "-suppress-warnings", "-module-name", module])
    if parse_as_library:
        arguments.add("-parse-as-library")
    arguments.add("-emit-module-path", interface)
    arguments.add("-o", object)
    arguments.add_all(imported, before_each = "-I", map_each = _dirname, uniquify = True)
    arguments.add_all(depset(transitive = [headers.includes, headers.system_includes]), format_each = "-I%s", before_each = "-Xcc")
    arguments.add_all(ctx.attr.copts)
    arguments.add_all(ctx.files.srcs)
    ctx.actions.run_shell(
        command = "exec swiftc \"$@\" -module-cache-path \"$(mktemp -d)\"",
        arguments = [arguments],
        inputs = depset(ctx.files.srcs, transitive = [imported, headers.headers]),
        outputs = [interface, object],
        mnemonic = "SwiftCompile",
        use_default_shell_env = True,
    )
    return SwiftModules(
        interfaces = depset([interface], transitive = [imported]),
        objects = depset([object], transitive = [dep.objects for dep in swift_deps]),
    ), c

def _dirname(file):
    return file.dirname

def _swift_library_impl(ctx):
    modules, c = _compile(ctx, ctx.attr.module_name or ctx.label.name, True)
    return [modules, c, DefaultInfo(files = modules.objects)]

def _swift_binary_impl(ctx):
    has_main = any([file.basename == "main.swift" for file in ctx.files.srcs])
    modules, c = _compile(ctx, ctx.attr.module_name or ctx.label.name, not has_main)
    program = ctx.actions.declare_file(ctx.label.name)
    archives = []
    options = []
    for input in c.linking_context.linker_inputs.to_list():
        options += input.user_link_flags
        archives += [library.pic_static_library or library.static_library for library in input.libraries]
    arguments = ctx.actions.args()
    arguments.add("-o", program)
    arguments.add_all(modules.objects)
    arguments.add_all(archives)
    arguments.add_all(options)
    arguments.add("-lstdc++")
    ctx.actions.run_shell(
        command = "exec swiftc \"$@\"",
        arguments = [arguments],
        inputs = depset(archives, transitive = [modules.objects]),
        outputs = [program],
        mnemonic = "SwiftLink",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([program]), executable = program)]

_attributes = {
    "srcs": attr.label_list(allow_files = [".swift"]),
    "copts": attr.string_list(),
    "deps": attr.label_list(),
    "module_name": attr.string(),
}

swift_library = rule(
    implementation = _swift_library_impl,
    attrs = _attributes,
)

swift_binary = rule(
    implementation = _swift_binary_impl,
    attrs = _attributes,
    executable = True,
)
