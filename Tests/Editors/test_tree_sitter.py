"""The tree-sitter grammar beside the compiler, its queries, and the extension for Zed.

DFLATC names the program. Scripts/test-editors.sh runs this.
"""

import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

tree_sitter = pytest.importorskip("tree_sitter", reason="the Python package tree-sitter is missing")

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
GRAMMAR = PACKAGE / "Editors" / "tree-sitter-fbs"
ZED = PACKAGE / "Editors" / "zed"
SCHEMAS = sorted(
    path
    for folder in ["Fixtures", "Examples", "Documentation"]
    for path in (PACKAGE / folder).rglob("*.fbs")
    if not any(part.startswith(".") for part in path.relative_to(PACKAGE).parts)
)

# Errors of the compiler's parser that the grammar does not have, as Editors/tree-sitter-fbs/README.md lists them.
ALLOWED = {
    "D0106",  # not Unicode
    "D0108",  # a doc comment that is not on a line of its own
    "D0110",  # nothing declared
    "D0113",  # nested too deeply
    "D0114",  # a late include
    "D0116",  # a list with nothing in it
    "D0117",  # an enum without a type
}

SAMPLE = """include "base.fbs";
namespace Shop.Data;
attribute "unit";
/// A post.
table Post (private) { // x
  title: string = "a\\n" (id: 3, hash: "b");
  color: Base.Color = Red;
  ratio: float = -inf;
  big: long = null;
  sizes: [ubyte:16];
  on: bool = true;
  angle: double = rad(1.5);
}
enum Kind : byte { Low = -1 }
union Any { Post, text: string }
rpc_service Posts { Get(Key): Data.Post; }
root_type Post;
{ title: [On] }
"""


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler, cc")
    library = tmp_path_factory.mktemp("grammar") / "fbs.so"
    source = GRAMMAR / "src"
    subprocess.run(
        ["cc", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-I", source, source / "parser.c", "-o", library],
        check=True,
    )
    function = ctypes.CDLL(str(library)).tree_sitter_fbs
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return tree_sitter.Language(capsule(function(), b"tree_sitter.Language", None))


@pytest.fixture(scope="module")
def parse(language):
    parser = tree_sitter.Parser(language)
    return lambda text: parser.parse(text.encode() if isinstance(text, str) else text).root_node


def descendants(node):
    yield node
    for child in node.children:
        yield from descendants(child)


def captures(language, path, root):
    """The captures of a query as pairs of a node and a name, in the order of the text."""
    query = tree_sitter.Query(language, path.read_text())
    found = tree_sitter.QueryCursor(query).captures(root)
    pairs = [(node, name) for name, nodes in found.items() for node in nodes]
    return sorted(pairs, key=lambda pair: (pair[0].start_byte, -pair[0].end_byte, pair[1]))


def words(pairs):
    return [f"{node.text.decode()} {name}" for node, name in pairs]


# The grammar beside the compiler


def compiler_errors(folder, texts):
    """The codes of the parser's errors in each text."""
    for number, text in enumerate(texts):
        (folder / f"f{number}.fbs").write_bytes(text)
    names = [f"f{number}.fbs" for number in range(len(texts))]
    result = subprocess.run([os.environ["DFLATC"], "format", "--check", *names], cwd=folder, capture_output=True)
    errors = [set() for _ in texts]
    found = re.findall(rb"^error\[(D01\d\d)\]: [^\n]*\n *--> (?:[^\n]*/)?f(\d+)\.fbs", result.stderr, re.MULTILINE)
    for code, number in found:
        errors[int(number)].add(code.decode())
    return errors


def test_schemas_have_syntax_errors_where_the_compiler_says_so(parse, tmp_path):
    texts = [path.read_bytes() for path in SCHEMAS]
    errors = compiler_errors(tmp_path, texts)
    valid = 0
    differing = []
    for path, text, codes in zip(SCHEMAS, texts, errors):
        # A missing token is an error, too, though its tree has no node of that name.
        has_error = parse(text).has_error
        valid += not codes
        if has_error != bool(codes - ALLOWED):
            differing.append(f"{path.relative_to(PACKAGE)}: {sorted(codes) or 'valid'}")
    assert differing == []
    assert valid > 250 and len(texts) - valid > 50


def test_changed_schemas_have_syntax_errors_where_the_compiler_says_so(parse, tmp_path):
    """Each word of a schema of all forms is left out once, and once doubled."""
    token = re.compile(r'//[^\n]*|"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|[-+]?[.\d]+|\S')
    texts = []
    for match in token.finditer(SAMPLE):
        texts.append(SAMPLE[: match.start()] + SAMPLE[match.end() :])
        texts.append(SAMPLE[: match.end()] + " " + SAMPLE[match.start() :])
    texts = [text.encode() for text in texts]
    differing = []
    for text, codes in zip(texts, compiler_errors(tmp_path, texts)):
        if parse(text).has_error != bool(codes - ALLOWED):
            differing.append(f"{sorted(codes) or 'valid'}: {text.decode()}")
    assert len(texts) > 200
    assert differing == []


VALUES = """
    1_0 0x 0x1F 0xG 1.2.3 1. .5 . 1.e3 1e 1e+3 0x1.8 0x1.8p1 0x.8P-2 0x1p3 1a 0b1 1,000 -1 --1 +-1 - + -inf
    -inf1 +A +1A true null A A.B 'a' 'a"b' "a'b" "a'' "\\q" "\\x0A" "\\xA" "\\u00E9" "\\u00E" "//" sin(1)
    sin() sin(cos(-1)) sin(1)(2) [] [1] [A] {} $ @A
""".split()
VALUES += ["- 1", "+ inf", "-/**/inf", "sin (1)", "A (b)", "A | B", '"a\tb"', '"a\nb"', "[ ]", "[/* */]", "1 /* */"]
VALUES += ["1 //", "// \n1", ""]
TEXTS = [f"table T {{ a: int = {value}; }}" for value in VALUES] + [
    "tableA {}",
    "table A B {}",
    "table A {};",
    "table A { ; }",
    "table A { a: int; } }",
    "table A { a: int }",
    "table A { a, b: int; }",
    "table A { a: int (b) = 3; }",
    "table A { a: int (b,); }",
    "table A { a: int (b: 1 c); }",
    "table A { a: int () ; }",
    'table A { a: int ("b": c); }',
    "table A { a: int (1); }",
    "table A { a: [int:x]; }",
    "table A { a: [int:-3]; }",
    "table A { a: [int:3.]; }",
    "table A { a: []; }",
    "table A { a: [int]]; }",
    "table A { a: B.; }",
    "table A { a: B . C; }",
    "table A { a.b: int; }",
    'table A { "a": int; }',
    "table A { table B {} }",
    "struct A { a: int = 3; }",
    "enum A : int { B C }",
    "enum A : int { , }",
    "enum A : int { B,, C }",
    "enum A : int { B; C }",
    "enum A : int { B = 1.0 }",
    "enum A : int { B = C }",
    "enum A : [int] { B }",
    "enum A.B : int { C }",
    "union A { B: }",
    "union A { B = 3, C.D, e: [F] (g) }",
    'union A { "B" }',
    "rpc_service A { b(C): D }",
    "rpc_service A { b(C, D): E; }",
    "rpc_service A { b([C]): D; }",
    "rpc_service A { b(C.D): E.F (g); }",
    "attribute a;",
    'attribute "a", "b";',
    'root_type "A";',
    "root_type A.B.C;",
    "root_type;",
    "namespace;",
    "namespace A.;",
    "namespace .A;",
    "include a;",
    "include 'a.fbs';",
    '#include "a.fbs";',
    'native_include "a.h"',
    "file_identifier ABCD;",
    'file_extension "a" "b";',
    "{ a: 1 }",
    "table A {} { a: 1 } table B {}",
    "table A {} { a: 1 } { b: 2 }",
    "table A {} [1]",
    "table A {} { 'a': [1,, 2] }",
    "table A {} { a: [{ b: [[], {},], }] }",
    "table A {} { 1: 2 }",
    "table A {} { a = 1 }",
    "table A {} { a: B.C }",
    "/* /* */ */ table A {}",
    "/**/ table A {} /***/ /* ** / */",
    "/****/ table A {} /** a **/",
    "table A {} /* ",
    "table A {} //",
    "table A {} ///",
    "/// a\r\n// b\rtable A {}",
    "\ufefftable A {}",
    "table \ufeffA {}",
    "table A {\f}",
    "table A {\v}",
    "table A {\u00a0}",
    "table Ä {}",
    "table A1_ {}",
    "table 1A {}",
    "table A-B {}",
    "table A {} extra",
]


def test_short_texts_have_syntax_errors_where_the_compiler_says_so(parse, tmp_path):
    texts = [text.encode() for text in TEXTS]
    errors = compiler_errors(tmp_path, texts)
    differing = [
        f"{sorted(codes) or 'valid'}: {text!r}"
        for text, codes in zip(TEXTS, errors)
        if parse(text).has_error != bool(codes - ALLOWED)
    ]
    assert differing == []
    assert sum(not codes for codes in errors) > 40 and sum(bool(codes) for codes in errors) > 60


def corpus():
    form = re.compile(r"={80}\n(.*?)\n={80}\n\n(.*?)\n\n-{80}\n\n(.*?)\n(?=\n={80}|\Z)", re.DOTALL)
    for path in sorted((GRAMMAR / "test" / "corpus").glob("*.txt")):
        text = path.read_text()
        cases = form.findall(text)
        assert len(cases) == text.count("=" * 80) / 2, path
        yield from cases


@pytest.mark.parametrize("name, text, tree", [pytest.param(*case, id=case[0]) for case in corpus()])
def test_corpus(parse, name, text, tree):
    root = parse(text + "\n")
    assert not root.has_error
    assert str(root) == re.sub(r"\s+", " ", tree)


def test_byte_order_mark(parse):
    text = b"\xef\xbb\xbftable A { a: int; }\r\n"
    assert not parse(text).has_error
    assert parse(b"table A" + text).has_error


def fields(root):
    names = [node.child_by_field_name("name").text.decode() for node in descendants(root) if node.type == "field"]
    definitions = [node for node in root.children if node.type.endswith("declaration")]
    types = [node.child_by_field_name("name").text.decode() for node in definitions]
    return names, types


@pytest.mark.parametrize(
    "text, names, types",
    [
        ("table A { a: int\n  b: string; }\ntable B { c: int; }\n", ["a", "b", "c"], ["A", "B"]),
        ("table A { a: int; b: string }\ntable B { c: int; }\n", ["a", "b", "c"], ["A", "B"]),
        ("table A { a: = 3; b: string; }\ntable B { c: int; }\n", ["a", "b", "c"], ["A", "B"]),
        ('table A { a: string = "x\\qy"; b: int; }\ntable B { c: int; }\n', ["a", "b", "c"], ["A", "B"]),
        ("table A { a: int (id: ; b: int; }\ntable B { c: int; }\n", ["a", "b", "c"], ["A", "B"]),
        ("tab\ntable B { c: int; }\n", ["c"], ["B"]),
    ],
)
def test_mistakes_leave_what_is_around_them(parse, text, names, types):
    root = parse(text)
    assert root.has_error
    assert fields(root) == (names, types)


def test_missing_brace_leaves_what_is_around_it(parse):
    root = parse("table A {\n  a: int;\n  b: int;\n\ntable B { c: int; }\nenum E : byte { F }\n")
    assert root.has_error
    names, types = fields(root)
    assert names[:2] == ["a", "b"]
    assert types == ["A", "E"]


# The queries


def test_highlights_of_a_sample(language, parse):
    pairs = captures(language, GRAMMAR / "queries" / "highlights.scm", parse(SAMPLE))
    assert words(pair for pair in pairs if not pair[1].startswith("punctuation")) == [
        "include keyword.import",
        '"base.fbs" string',
        "namespace keyword",
        "Shop module",
        "Data module",
        "attribute keyword",
        '"unit" string',
        "/// A post. comment.documentation",
        "table keyword",
        "Post type",
        "private attribute",
        "// x comment",
        "title property",
        "string type.builtin",
        "= operator",
        '"a\\n" string',
        "\\n string.escape",
        "id attribute",
        "3 number",
        "hash attribute",
        '"b" string',
        "color property",
        "Base module",
        "Color type",
        "= operator",
        "Red constant",
        "ratio property",
        "float type.builtin",
        "= operator",
        "-inf constant.builtin",
        "big property",
        "long type.builtin",
        "= operator",
        "null constant.builtin",
        "sizes property",
        "ubyte type.builtin",
        "16 number",
        "on property",
        "bool type.builtin",
        "= operator",
        "true boolean",
        "angle property",
        "double type.builtin",
        "= operator",
        "rad function",
        "1.5 number.float",
        "enum keyword",
        "Kind type",
        "byte type.builtin",
        "Low constant",
        "= operator",
        "-1 number",
        "union keyword",
        "Any type",
        "Post type",
        "text type",
        "string type.builtin",
        "rpc_service keyword",
        "Posts type",
        "Get function.method",
        "Key type",
        "Data module",
        "Post type",
        "root_type keyword",
        "Post type",
        "title property",
        "On constant",
    ]
    assert {"{ punctuation.bracket", "; punctuation.delimiter", ". punctuation.delimiter"} <= set(words(pairs))


def test_each_word_of_valid_schemas_has_one_highlight(language, parse):
    for path in SCHEMAS:
        root = parse(path.read_bytes())
        if root.has_error:
            continue
        pairs = captures(language, GRAMMAR / "queries" / "highlights.scm", root)
        names = {}
        for node, name in pairs:
            assert names.setdefault((node.start_byte, node.end_byte), name) == name, f"{path}: {node.text}"
        inside = {"string_content"}
        for node in descendants(root):
            if node.child_count == 0 and node.end_byte > node.start_byte and node.type not in inside | {'"', "'"}:
                assert (node.start_byte, node.end_byte) in names, f"{path}: {node.text}"


def test_built_in_types_are_those_of_the_text_mate_grammar(language, parse):
    text_mate = json.loads((PACKAGE / "Editors" / "vscode" / "syntaxes" / "fbs.tmLanguage.json").read_text())
    [pattern] = text_mate["repository"]["types"]["patterns"]
    types = re.search(r"\((.*)\)", pattern["match"]).group(1).split("|")
    assert len(types) == 22
    others = ["uchar", "int128", "strings", "ufloat"]
    text = "table T {\n" + "".join(f"  f: {name};\n" for name in types + others) + "}\n"
    pairs = captures(language, GRAMMAR / "queries" / "highlights.scm", parse(text))
    found = {name: [node.text.decode() for node, other in pairs if other == name] for name in ["type.builtin", "type"]}
    assert found == {"type.builtin": types, "type": ["T", *others]}


def test_folds_and_tags(language, parse):
    root = parse(SAMPLE)
    folds = captures(language, GRAMMAR / "queries" / "folds.scm", root)
    assert [node.type for node, _ in folds] == [
        "field_list",
        "enum_value_list",
        "union_member_list",
        "method_list",
        "object",
        "list",
    ]
    tags = words(pair for pair in captures(language, GRAMMAR / "queries" / "tags.scm", root) if pair[1] == "name")
    assert [tag for tag in tags if tag[0].isupper()] == [
        "Post name",
        "Color name",
        "Kind name",
        "Any name",
        "Posts name",
        "Get name",
        "Post name",
    ]


# What is generated


def test_generated_files_are_those_of_the_grammar():
    """A change of grammar.js, or of a generated file by hand, needs `make -C Editors grammar`."""
    lines = (GRAMMAR / "src" / "generated.sha256").read_text().splitlines()
    expected = dict(reversed(line.split("  ")) for line in lines)
    names = ["grammar.js", "src/parser.c", "src/grammar.json", "src/node-types.json", "src/tree_sitter/parser.h"]
    assert expected == {name: hashlib.sha256((GRAMMAR / name).read_bytes()).hexdigest() for name in names}


def test_parser_has_the_rules_of_the_grammar(language):
    rules = json.loads((GRAMMAR / "src" / "grammar.json").read_text())["rules"]
    visible = [name for name in rules if not name.startswith("_")]
    assert len(visible) > 35
    assert [name for name in visible if language.id_for_node_kind(name, True) is None] == []


def test_grammar_generates_what_is_committed(tmp_path):
    command = os.environ.get("TREE_SITTER", "tree-sitter")
    if shutil.which(command) is None or shutil.which("node") is None:
        pytest.skip("there is no tree-sitter command, or no Node.js")
    for name in ["grammar.js", "package.json", "tree-sitter.json"]:
        shutil.copy(GRAMMAR / name, tmp_path)
    subprocess.run([command, "generate", "--abi", "14"], cwd=tmp_path, check=True, capture_output=True)
    # Versions of the command write the same rules, but not the same C.
    committed, generated = (json.loads((folder / "src" / "grammar.json").read_text()) for folder in [GRAMMAR, tmp_path])
    for key in ["name", "word", "rules", "extras"]:
        assert generated[key] == committed[key], key


# Zed


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_queries_for_zed(language, parse):
    root = parse(SAMPLE)
    queries = ZED / "languages" / "fbs"
    assert sorted(path.name for path in queries.glob("*.scm")) == ["brackets.scm", "indents.scm", "outline.scm"]
    outline = words(pair for pair in captures(language, queries / "outline.scm", root) if pair[1] != "item")
    assert outline[:5] == ["table context", "Post name", "title name", "color name", "ratio name"]
    assert outline[-3:] == ["rpc_service context", "Posts name", "Get name"]
    indents = [node.type for node, name in captures(language, queries / "indents.scm", root) if name == "indent"]
    assert indents == ["field_list", "enum_value_list", "union_member_list", "method_list", "object", "list"]
    brackets = words(captures(language, queries / "brackets.scm", root))
    for opening, closing in ["{}", "[]", "()"]:
        count = SAMPLE.count(opening)
        assert (brackets.count(f"{opening} open"), brackets.count(f"{closing} close")) == (count, count)


def test_extension_for_zed(tmp_path):
    tomllib = pytest.importorskip("tomllib", reason="Python is older than 3.11")
    try:
        git(PACKAGE, "cat-file", "-e", "HEAD:Editors/tree-sitter-fbs/src/parser.c")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git repository with the grammar")
    folder = tmp_path / "zed"
    # A second time, it replaces what is there.
    for _ in range(2):
        subprocess.run([PACKAGE / "Scripts" / "zed.sh", folder], check=True)
    manifest = tomllib.loads((folder / "extension.toml").read_text())
    configuration = tomllib.loads((folder / "languages" / "fbs" / "config.toml").read_text())
    cargo = tomllib.loads((folder / "Cargo.toml").read_text())

    grammar = manifest["grammars"][configuration["grammar"]]
    assert grammar["rev"] == git(PACKAGE, "rev-parse", "HEAD")
    assert manifest["schema_version"] == 1
    [(server, settings)] = manifest["language_servers"].items()
    assert settings["languages"] == [configuration["name"]]
    assert settings["language_ids"] == {configuration["name"]: "fbs"}
    assert f'which("{server}")' in (folder / "src" / "lib.rs").read_text()
    assert configuration["path_suffixes"] == ["fbs"]
    assert cargo["lib"]["crate-type"] == ["cdylib"]

    # Zed has the colors of the grammar, and fetches the grammar with these commands.
    highlights = (folder / "languages" / "fbs" / "highlights.scm").read_bytes()
    assert highlights == (GRAMMAR / "queries" / "highlights.scm").read_bytes()
    clone = tmp_path / "clone"
    clone.mkdir()
    git(clone, "init", "--quiet")
    git(clone, "remote", "add", "origin", grammar["repository"])
    git(clone, "fetch", "--quiet", "--depth", "1", "origin", grammar["rev"])
    git(clone, "checkout", "--quiet", grammar["rev"])
    assert (clone / grammar["path"] / "src" / "parser.c").is_file()


def test_versions():
    version = re.search(r'^version = "(.*)"$', (PACKAGE / "pyproject.toml").read_text(), re.MULTILINE).group(1)
    for path in [ZED / "extension.toml", ZED / "Cargo.toml"]:
        assert f'\nversion = "{version}"\n' in path.read_text(), path
    assert json.loads((GRAMMAR / "package.json").read_text())["version"] == version
    assert json.loads((GRAMMAR / "tree-sitter.json").read_text())["metadata"]["version"] == version
