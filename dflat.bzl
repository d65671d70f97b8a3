"""The rule that compiles schemas to Swift. Documentation/bazel.md tells how it is used."""

# What dflatc calls the output of each emitter, after the name of the schema. Documentation/compiling.md has the table.
_SUFFIXES = {
    "accessors": "_generated.swift",
    "data-model": "_data_model_generated.swift",
    "editors": "_editors_generated.swift",
    "mutating": "_mutating_generated.swift",
    "query": "_query_generated.swift",
}

def _folder(path):
    """The folder of a path; "." for the folder that Bazel runs actions in."""
    return path.rpartition("/")[0] or "."

def _root(package, schemas):
    """The folder from which outputs are called: the package, or the workspace if a schema is of another package."""
    roots = {schema.root.path: True for schema in schemas}
    if len(roots) > 1:
        fail("There are files of the source tree and files that are built: give each kind a dflatc target of its own.")
    parts = [part for part in [roots.keys()[0], package] if part]
    root = "/".join(parts)
    if not root:
        return ""
    if all([schema.path.startswith(root + "/") for schema in schemas]):
        return root
    return roots.keys()[0]

def _stem(schema, root):
    """What dflatc calls the outputs of a schema: its path below the root, with underscores for slashes."""
    path = schema.path[len(root) + 1:] if root else schema.path
    return path[:-len(".fbs")].replace("/", "_")

def _dflatc_impl(ctx):
    for emitter in ctx.attr.emit:
        if emitter not in _SUFFIXES:
            fail("There is no emitter \"%s\" of Swift: choose from %s." % (emitter, ", ".join(_SUFFIXES.keys())), "emit")
    schemas = ctx.files.srcs + (ctx.files.includes if ctx.attr.gen_all else [])
    root = _root("/".join([part for part in [ctx.label.workspace_root, ctx.label.package] if part]), schemas)

    # In a folder by the name of the target, so that two targets of a package may name the same schema.
    names = [_stem(schema, root) + _SUFFIXES[emitter] for schema in schemas for emitter in ctx.attr.emit]
    if ctx.attr.namespaces == "file":
        namespaces = ctx.label.name + "_namespaces.swift"
        names.append(namespaces)
    else:
        namespaces = "none"
    outputs = [ctx.actions.declare_file(ctx.label.name + "/" + name) for name in names]

    arguments = ctx.actions.args()
    arguments.add("compile")
    arguments.add("-o", outputs[0].dirname)
    arguments.add("--root", root or ".")
    arguments.add("--namespaces", namespaces)
    arguments.add_all(ctx.attr.emit, before_each = "--emit")

    # An include is looked for beside the schema that names it, then by its path in the workspace, then by its name alone.
    folders = ["."] + [file.root.path for file in ctx.files.includes if file.root.path]
    folders += [_folder(file.path) for file in ctx.files.includes]
    arguments.add_all(folders, before_each = "-I", uniquify = True)
    if ctx.attr.gen_all:
        # All are inputs, also what no schema includes: Bazel expects their outputs.
        arguments.add("--gen-all")
    else:
        arguments.add_all(ctx.files.includes, before_each = "--compiled")
    arguments.add_all(schemas)
    ctx.actions.run(
        executable = ctx.executable._compiler,
        arguments = [arguments],
        inputs = schemas + ctx.files.includes,
        outputs = outputs,
        mnemonic = "Dflatc",
        progress_message = "Compiling the schemas of %s" % ctx.label,
    )
    return [DefaultInfo(files = depset(outputs))]

dflatc = rule(
    implementation = _dflatc_impl,
    doc = "Compiles FlatBuffers schemas to Swift: a source of swift_library and its kin.",
    attrs = {
        "srcs": attr.label_list(
            doc = "The schemas.",
            allow_files = [".fbs"],
            allow_empty = False,
            mandatory = True,
        ),
        "includes": attr.label_list(
            doc = "Schemas that srcs include, and that another target compiles, or this one with gen_all.",
            allow_files = [".fbs"],
        ),
        "gen_all": attr.bool(
            doc = "Whether includes are compiled, too, and mean what srcs make of them, as with `dflatc compile --gen-all`.",
            default = False,
        ),
        "emit": attr.string_list(
            doc = "The emitters of Swift, as `dflatc compile --emit` takes them.",
            allow_empty = False,
            default = ["accessors", "data-model", "mutating", "query"],
        ),
        "namespaces": attr.string(
            doc = "\"file\" if the target declares the schemas' namespaces, \"none\" if another target or the app does.",
            default = "file",
            values = ["file", "none"],
        ),
        "_compiler": attr.label(
            allow_files = True,
            cfg = "exec",
            default = Label("//:compiler"),
            executable = True,
        ),
    },
)
