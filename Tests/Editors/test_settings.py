"""The settings that people copy: those for Helix and Sublime Text, and what the extension of Visual Studio Code declares.

These editors do not run here. The keys are those that their documentation has, and the command is run as they would.
DFLATC names the program. Scripts/test-editors.sh runs this.
"""

import copy
import json
import os
import pathlib
import plistlib
import re
import subprocess

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
EDITORS = PACKAGE / "Editors"
VSCODE = EDITORS / "vscode"
GRAMMAR = json.loads((VSCODE / "syntaxes" / "fbs.tmLanguage.json").read_text())
LANGUAGE = json.loads((VSCODE / "language-configuration.json").read_text())

# https://docs.helix-editor.com/languages.html
HELIX_SERVER = {"command", "args", "config", "timeout", "environment", "required-root-patterns"}
HELIX_LANGUAGE = {
    "name",
    "language-id",
    "scope",
    "injection-regex",
    "file-types",
    "shebangs",
    "roots",
    "auto-format",
    "diagnostic-severity",
    "comment-token",
    "comment-tokens",
    "block-comment-tokens",
    "indent",
    "language-servers",
    "grammar",
    "formatter",
    "soft-wrap",
    "text-width",
    "rulers",
    "workspace-lsp-roots",
    "persistent-diagnostic-sources",
}
# https://lsp.sublimetext.io/client_configuration/
SUBLIME_CLIENT = {
    "enabled",
    "command",
    "selector",
    "initializationOptions",
    "settings",
    "env",
    "schemes",
    "priority_selector",
    "disabled_capabilities",
    "diagnostics_mode",
}


def frame(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def serve(command):
    """Runs a command as an editor does that is closed at once, and returns what the server can do."""
    assert command[0] == "dflatc", command
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    result = subprocess.run(
        [os.environ["DFLATC"], *command[1:]], input=b"".join(map(frame, messages)), capture_output=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    head, rest = result.stdout.split(b"\r\n\r\n", 1)
    return json.loads(rest[: int(head.split()[-1])])["result"]["capabilities"]


def misspelled(value):
    """Each value that one key or one text, with a letter more, makes of a value of JSON."""
    if isinstance(value, str):
        yield value + "x"
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, member in list(items):
        if isinstance(value, dict):
            yield {(name + "x" if name == key else name): other for name, other in value.items()}
        for other in misspelled(member):
            changed = copy.copy(value)
            changed[key] = other
            yield changed


def expect_misspellings_to_be_found(check, settings):
    check(settings)
    count = 0
    for changed in misspelled(settings):
        with pytest.raises((AssertionError, KeyError, ValueError)):
            check(changed)
        count += 1
    assert count > 5


# Helix


def check_helix(settings):
    assert set(settings) == {"language-server", "language"}
    [(name, server)] = settings["language-server"].items()
    assert set(server) <= HELIX_SERVER
    assert name == "dflatc"
    [language] = settings["language"]
    assert set(language) <= HELIX_LANGUAGE
    assert language["name"] == "fbs" and language["language-servers"] == [name]
    assert language["scope"] == GRAMMAR["scopeName"] and language["file-types"] == GRAMMAR["fileTypes"]
    assert language["comment-token"] == LANGUAGE["comments"]["lineComment"]
    assert language["roots"] == [".dflatc.json"]
    indent = language["indent"]
    assert set(indent) == {"tab-width", "unit"} and indent["unit"] == " " * indent["tab-width"] == "  "
    # Without a formatter, Helix asks the server to format when it saves.
    assert language["auto-format"] is True and "formatter" not in language
    assert serve([server["command"], *server["args"]])["documentFormattingProvider"] is True


def test_settings_for_helix():
    tomllib = pytest.importorskip("tomllib", reason="Python is older than 3.11")
    settings = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text())
    expect_misspellings_to_be_found(check_helix, settings)


# Sublime Text


def check_sublime(settings):
    assert set(settings) == {"clients"}
    [(name, client)] = settings["clients"].items()
    assert name == "dflatc" and set(client) <= SUBLIME_CLIENT
    assert client["enabled"] is True
    assert client["selector"] == GRAMMAR["scopeName"]
    serve(client["command"])


def test_settings_for_sublime_text():
    text = (EDITORS / "sublime" / "LSP-dflatc.sublime-settings").read_text()
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("//")]
    assert any("fbs.tmLanguage " in line for line in comments)
    settings = json.loads("\n".join(line for line in lines if line not in comments))
    expect_misspellings_to_be_found(check_sublime, settings)


def test_syntax_for_sublime_text():
    """Sublime Text reads this grammar of TextMate as a property list, and not as JSON."""
    grammar = plistlib.loads((EDITORS / "sublime" / "fbs.tmLanguage").read_bytes())
    command = (
        "python3 -c 'import json, plistlib, sys; plistlib.dump(json.load(sys.stdin), sys.stdout.buffer, sort_keys=False)' "
        "<Editors/vscode/syntaxes/fbs.tmLanguage.json >Editors/sublime/fbs.tmLanguage"
    )
    assert grammar == GRAMMAR, command


# Visual Studio Code


def test_declarations_for_visual_studio_code():
    package = json.loads((VSCODE / "package.json").read_text())
    contributes = package["contributes"]
    [language] = contributes["languages"]
    [grammar] = contributes["grammars"]
    assert language["id"] == grammar["language"] == "fbs" and language["extensions"] == [".fbs"]
    assert grammar["scopeName"] == GRAMMAR["scopeName"]
    for path in [package["main"], language["configuration"], grammar["path"]]:
        assert (VSCODE / path).is_file(), path
    assert package["activationEvents"] == ["onLanguage:fbs"]

    # The extension uses each setting and each command that it declares, and no other.
    source = (VSCODE / "extension.js").read_text()
    declared = set(contributes["configuration"]["properties"])
    assert declared == {"dflatc." + name for name in re.findall(r'settings\.get\("(\w+)"\)', source)}
    commands = [command["command"] for command in contributes["commands"]]
    assert commands == re.findall(r'registerCommand\("([\w.]+)"', source)
    properties = contributes["configuration"]["properties"]
    serve([properties["dflatc.path"]["default"], *re.search(r'path, \["(\w+)"\]', source).groups()])


# The page


def test_files_of_the_page():
    page = (PACKAGE / "Documentation" / "in-your-editor.md").read_text()
    named = set(re.findall(r"Editors/[\w./-]*\w", page))
    assert len(named) > 5
    for path in named:
        assert (PACKAGE / path).exists(), path
