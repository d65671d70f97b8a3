"""`dflatc lsp` as a client of the protocol sees it: each request once, over standard input and output.

DFLATC names the program. Scripts/test-editors.sh runs this.
"""

import asyncio
import os
import pathlib
import subprocess
import time

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

BASE = """namespace N;
/// A color.
enum Color : ubyte { Red, Green }
"""
POST = """include "base.fbs";
namespace N;
table Post {
  title: string (primary);
  color: Color = Green;
  others: [Note];
}
table Note{text:string;}
root_type Post;
"""


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "a b%20ä"
    folder.mkdir()
    (folder / "base.fbs").write_text(BASE)
    (folder / "post.fbs").write_text(POST)
    return folder


@pytest_lsp.fixture(
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(server_command=[os.environ["DFLATC"], "lsp"]),
)
async def client(request, lsp_client: LanguageClient, folder):
    capabilities = client_capabilities(request.param)
    # The tests wait for what the server sends by itself.
    if capabilities.text_document:
        capabilities.text_document.diagnostic = None

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams):
        assert params.registrations[0].method == "workspace/didChangeWatchedFiles"

    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="w")],
        )
    )
    yield
    await lsp_client.shutdown_session()


def document(folder, name="post.fbs"):
    return types.TextDocumentIdentifier(uri=(folder / name).as_uri())


def place(line, character):
    return types.Position(line=line, character=character)


async def open_document(client, folder, name="post.fbs", text=None):
    path = folder / name
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            text_document=types.TextDocumentItem(
                uri=path.as_uri(), language_id="fbs", version=1, text=text or path.read_text()
            )
        )
    )
    await client.wait_for_notification("textDocument/publishDiagnostics")


@pytest.mark.asyncio
async def test_diagnostics_and_fix(client: LanguageClient, folder):
    text = POST.replace("Green;", "Green").replace("root_type Post", "root_type Pots")
    await open_document(client, folder, text=text)
    uri = document(folder).uri
    found = client.diagnostics[uri]
    assert [item.code for item in found][:1] == ["D0111"]
    assert found[0].source == "dflatc" and found[0].severity == types.DiagnosticSeverity.Error
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document(folder),
            range=found[0].range,
            context=types.CodeActionContext(diagnostics=[found[0]]),
        )
    )
    assert actions[0].edit.changes[uri][0].new_text == ";"
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text=POST)],
        )
    )
    await client.wait_for_notification("textDocument/publishDiagnostics")
    assert not client.diagnostics[uri]


@pytest.mark.asyncio
async def test_formatting(client: LanguageClient, folder):
    await open_document(client, folder)
    options = types.FormattingOptions(tab_size=8, insert_spaces=False)
    edits = await client.text_document_formatting_async(
        types.DocumentFormattingParams(text_document=document(folder), options=options)
    )
    assert all(edit.range.start.line == 7 for edit in edits) and edits
    nothing = await client.text_document_range_formatting_async(
        types.DocumentRangeFormattingParams(
            text_document=document(folder), range=types.Range(start=place(0, 0), end=place(3, 0)), options=options
        )
    )
    assert not nothing


@pytest.mark.asyncio
async def test_names(client: LanguageClient, folder):
    await open_document(client, folder)
    here = dict(text_document=document(folder), position=place(4, 10))
    definition = await client.text_document_definition_async(types.DefinitionParams(**here))
    assert definition[0].uri == document(folder, "base.fbs").uri and definition[0].range.start == place(2, 5)
    hover = await client.text_document_hover_async(types.HoverParams(**here))
    assert "A color." in hover.contents.value
    references = await client.text_document_references_async(
        types.ReferenceParams(**here, context=types.ReferenceContext(include_declaration=True))
    )
    assert len(references) == 2
    highlights = await client.text_document_document_highlight_async(types.DocumentHighlightParams(**here))
    assert len(highlights) == 1
    prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(**here))
    assert prepared.placeholder == "Color"
    renamed = await client.text_document_rename_async(types.RenameParams(**here, new_name="Colour"))
    assert set(renamed.changes) == {document(folder).uri, document(folder, "base.fbs").uri}
    symbols = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=document(folder))
    )
    assert [symbol.name for symbol in symbols] == ["Post", "Note"]
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="colr"))
    assert {symbol.name for symbol in found} == {"Color", "color"}


@pytest.mark.asyncio
async def test_completion(client: LanguageClient, folder):
    text = POST.replace("[Note]", "")
    await open_document(client, folder, text=text)
    items = await client.text_document_completion_async(
        types.CompletionParams(text_document=document(folder), position=place(5, 10))
    )
    assert {"Color", "Note", "int"} <= {item.label for item in items}
    paths = await client.text_document_completion_async(
        types.CompletionParams(text_document=document(folder), position=place(0, 9))
    )
    assert [item.label for item in paths] == ["base.fbs"]


@pytest.mark.asyncio
async def test_views(client: LanguageClient, folder):
    await open_document(client, folder)
    whole = types.Range(start=place(0, 0), end=place(99, 0))
    this = dict(text_document=document(folder))
    assert await client.text_document_folding_range_async(types.FoldingRangeParams(**this))
    links = await client.text_document_document_link_async(types.DocumentLinkParams(**this))
    assert links[0].target == document(folder, "base.fbs").uri
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(**this, range=whole))
    assert [hint.label for hint in hints] == ["id: 0", "id: 1", "id: 2", "id: 0"]
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(**this))
    assert tokens.data and len(tokens.data) % 5 == 0
    part = await client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(**this, range=types.Range(start=place(3, 0), end=place(4, 0)))
    )
    assert 0 < len(part.data) < len(tokens.data)
    selected = await client.text_document_selection_range_async(
        types.SelectionRangeParams(**this, positions=[place(4, 10)])
    )
    assert selected[0].range == types.Range(start=place(4, 9), end=place(4, 14)) and selected[0].parent
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(**this))
    assert not report.items


@pytest.mark.asyncio
async def test_hierarchy(client: LanguageClient, folder):
    (folder / "user.fbs").write_text('include "base.fbs";\ninclude "post.fbs";\ntable User { post: N.Post; }\n')
    await open_document(client, folder)
    post = await client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(text_document=document(folder), position=place(3, 0))
    )
    assert [(item.name, item.kind, item.uri) for item in post] == [
        ("post.fbs", types.SymbolKind.File, document(folder).uri)
    ]
    outgoing = await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(item=post[0]))
    assert [call.to.uri for call in outgoing] == [document(folder, "base.fbs").uri]
    assert list(outgoing[0].from_ranges) == [types.Range(start=place(0, 0), end=place(0, 19))]
    incoming = await client.call_hierarchy_incoming_calls_async(
        types.CallHierarchyIncomingCallsParams(item=outgoing[0].to)
    )
    assert [(call.from_.name, call.from_ranges[0].end) for call in incoming] == [
        ("post.fbs", place(0, 19)),
        ("user.fbs", place(0, 19)),
    ]


@pytest.mark.asyncio
async def test_typing(client: LanguageClient, folder):
    await open_document(client, folder)
    edits = await client.text_document_on_type_formatting_async(
        types.DocumentOnTypeFormattingParams(
            text_document=document(folder),
            position=place(7, 24),
            ch="}",
            options=types.FormattingOptions(tab_size=8, insert_spaces=False),
        )
    )
    assert edits and all(edit.range.start.line == 7 for edit in edits)


@pytest.mark.asyncio
async def test_rewrites(client: LanguageClient, folder):
    await open_document(client, folder)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document(folder),
            range=types.Range(start=place(4, 3), end=place(4, 3)),
            context=types.CodeActionContext(diagnostics=[], only=["refactor"]),
        )
    )
    assert [action.title for action in actions] == ["Deprecate `color` instead of removing it"]
    assert actions[0].edit.changes[document(folder).uri][0].new_text == " (deprecated)"


@pytest.mark.asyncio
async def test_loop_of_links(client: LanguageClient, folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "self.fbs").symlink_to(folder / "self.fbs")
    await open_document(client, folder)
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="Color"))
    assert [symbol.name for symbol in found].count("Color") == 1
    renamed = await client.text_document_rename_async(
        types.RenameParams(text_document=document(folder), position=place(4, 10), new_name="Colour")
    )
    assert set(renamed.changes) == {document(folder).uri, document(folder, "base.fbs").uri}


@pytest.mark.asyncio
async def test_include_outside_of_the_workspace(client: LanguageClient, folder):
    (folder.parent / "far 100%.fbs").write_text("table Far { a: int; }\n")
    text = 'include "../far 100%.fbs";\ntable Near { far: Far; }\n'
    await open_document(client, folder, name="near.fbs", text=text)
    assert not [item for item in client.diagnostics[document(folder, "near.fbs").uri] if item.severity == 1]
    definition = await client.text_document_definition_async(
        types.DefinitionParams(text_document=document(folder, "near.fbs"), position=place(1, 19))
    )
    assert definition[0].uri == (folder.parent / "far 100%.fbs").as_uri()


@pytest.mark.asyncio
async def test_byte_order_mark_and_line_endings(client: LanguageClient, folder):
    text = "\ufefftable Post {\r\n  title: strin;\r\n}\r\nroot_type Post;\r\n"
    await open_document(client, folder, name="windows.fbs", text=text)
    found = [item for item in client.diagnostics[document(folder, "windows.fbs").uri] if item.severity == 1]
    assert [item.range for item in found] == [types.Range(start=place(1, 9), end=place(1, 14))]


@pytest.mark.asyncio
async def test_killed_server(folder):
    """A second server, after the first one was killed, says of an unsaved text what the first one said."""
    said = []
    for _ in range(2):
        client = LanguageClient()
        await client.start_io(os.environ["DFLATC"], "lsp")
        arrived = asyncio.Event()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams):
            said.append([(item.code, item.range.start.line) for item in params.diagnostics])
            arrived.set()

        await client.initialize_session(
            types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=folder.as_uri())
        )
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(
                text_document=types.TextDocumentItem(
                    uri=document(folder).uri, language_id="fbs", version=1, text=POST + "table Post {}\n"
                )
            )
        )
        await asyncio.wait_for(arrived.wait(), 20)
        client._server.kill()
        await client._server.wait()
    assert said[0] and said[0] == said[-1]


@pytest.mark.asyncio
async def test_rules_of_programs(client: LanguageClient, folder):
    """A comment may name a rule of one's own, whose program is not run."""
    (folder / ".dflatc.json").write_text(
        '{ "programs": [{ "name": "acme", "path": "none", "rules": { "acme-owner": "error" } }] }'
    )
    (folder / "owned.fbs").write_text(
        "table Post {\n  // dflatc:allow acme-owner a team is on its way\n  title: string (primary);\n}\nroot_type Post;\n"
    )
    await open_document(client, folder, name="owned.fbs")
    assert not client.diagnostics[document(folder, "owned.fbs").uri]
    # The rules of another name are unknown.
    (folder / ".dflatc.json").write_text("{}")
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[]))
    await client.wait_for_notification("textDocument/publishDiagnostics")
    assert len(client.diagnostics[document(folder, "owned.fbs").uri]) == 1


class Server:
    """A server and its client, which measure how long something takes and how much memory it took at most."""

    async def __aenter__(self):
        self.client = make_test_lsp_client()
        await self.client.start_io(os.environ["DFLATC"], "lsp")
        return self

    async def __aexit__(self, *error):
        await self.client.shutdown_session()

    async def initialize(self, folder):
        await self.client.initialize_session(
            types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=folder.as_uri())
        )

    async def measure(self, what, work):
        start = time.monotonic()
        result = await work
        seconds = time.monotonic() - start
        try:
            status = pathlib.Path(f"/proc/{self.client._server.pid}/status").read_text()
            memory = int(status.split("VmHWM:")[1].split()[0]) / 1024
        except OSError:
            # Only Linux has these files.
            memory = float("nan")
        print(f"{what}: {seconds:.2f} s, at most {memory:.0f} MiB so far")
        return result


@pytest.mark.asyncio
async def test_many_files(folder):
    count = int(os.environ.get("DFLAT_EDITOR_FILES", "2000"))
    # A tenth are schemas, and every hundredth file includes another one.
    for number in range(count):
        sub = folder / f"s {number // 1000}"
        sub.mkdir(exist_ok=True)
        if number % 100 == 0:
            text = f'include "../base.fbs";\ntable User{number} {{ color: N.Color; }}\n'
            (sub / f"f{number}.fbs").write_text(text)
        elif number % 10 == 0:
            (sub / f"f{number}.fbs").write_text(f"table T{number} {{ a: int; }}\n")
        else:
            (sub / f"f{number}.txt").write_text("")
    async with Server() as server:
        client = server.client
        await server.measure("initialize", server.initialize(folder))
        await server.measure("open", open_document(client, folder))
        assert not [item for item in client.diagnostics[document(folder).uri] if item.severity == 1]
        found = await server.measure(
            "symbols", client.workspace_symbol_async(types.WorkspaceSymbolParams(query=f"User{count - 100}"))
        )
        assert [symbol.name for symbol in found] == [f"User{count - 100}"]
        renamed = await server.measure(
            "rename",
            client.text_document_rename_async(
                types.RenameParams(text_document=document(folder), position=place(4, 10), new_name="Colour")
            ),
        )
        assert len(renamed.changes) == 2 + count // 100
        item = types.CallHierarchyItem(
            name="base.fbs",
            kind=types.SymbolKind.File,
            uri=document(folder, "base.fbs").uri,
            range=types.Range(start=place(0, 0), end=place(0, 0)),
            selection_range=types.Range(start=place(0, 0), end=place(0, 0)),
        )
        calls = await server.measure(
            "includes", client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(item=item))
        )
        assert len(calls) == 1 + count // 100


@pytest.mark.asyncio
@pytest.mark.skipif("DFLAT_EDITOR_MEGABYTES" not in os.environ, reason="a debug build needs long for it")
async def test_large_document(folder):
    megabytes = int(os.environ["DFLAT_EDITOR_MEGABYTES"])
    table = "table Post { a: int; b: string; }\n"
    text = "".join(table.replace("Post", f"Post{number}") for number in range(megabytes * 1_000_000 // len(table)))
    async with Server() as server:
        client = server.client
        await server.initialize(folder)
        await server.measure("open", open_document(client, folder, name="large.fbs", text=text))
        uri = document(folder, "large.fbs").uri
        assert ["too large" in item.message for item in client.diagnostics[uri]] == [True]

        async def change():
            client.text_document_did_change(
                types.DidChangeTextDocumentParams(
                    text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
                    content_changes=[
                        types.TextDocumentContentChangePartial(
                            range=types.Range(start=place(0, 0), end=place(0, 0)), text="x"
                        )
                    ],
                )
            )
            await client.wait_for_notification("textDocument/publishDiagnostics")

        await server.measure("a key stroke", change())
        symbols = await server.measure(
            "outline",
            client.text_document_document_symbol_async(
                types.DocumentSymbolParams(text_document=document(folder, "large.fbs"))
            ),
        )
        assert not symbols


@pytest.mark.asyncio
async def test_broken_stream(folder):
    """The messages before a header that cannot be read are answered."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    process = await asyncio.create_subprocess_exec(
        os.environ["DFLATC"], "lsp", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    message = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    output, error = await asyncio.wait_for(process.communicate(message + b"no header\r\n\r\n"), 20)
    assert b'"id":1' in output and b"nothing after it can be read" in error and process.returncode == 1


def git(folder, *arguments):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


async def findings(client, folder, text, version):
    """The rules of dflatc check that are broken, once they have come: after the other diagnostics."""
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=document(folder).uri, version=version),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)],
        )
    )
    await client.wait_for_notification("textDocument/publishDiagnostics")
    # The answer to a request about the whole comes after the comparison, whether or not that has found anything.
    await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document(folder),
            range=types.Range(start=place(0, 0), end=place(0, 0)),
            context=types.CodeActionContext(diagnostics=[]),
        )
    )
    for _ in range(40):
        found = [item.code for item in client.diagnostics[document(folder).uri] if item.code == "field-removed"]
        if found:
            return found
        await asyncio.sleep(0.05)
    return []


@pytest.mark.asyncio
async def test_typing_in_a_repository(client: LanguageClient, folder):
    """No comparison comes between keys that follow one another, and it comes after the last one."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    await open_document(client, folder)
    uri = document(folder).uri
    shorter = POST.replace("  color: Color = Green;\n", "")

    def has_finding():
        return any(item.code == "field-removed" for item in client.diagnostics[uri])

    compared = 0
    for version in range(2, 22):
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=version),
                content_changes=[types.TextDocumentContentChangeWholeDocument(text=shorter + "\n" * version)],
            )
        )
        await client.wait_for_notification("textDocument/publishDiagnostics")
        compared += has_finding()
    # A machine that is busy elsewhere may stop the client for longer than a comparison waits.
    assert compared < 5
    for _ in range(200):
        if has_finding():
            break
        await asyncio.sleep(0.05)
    assert has_finding()


@pytest.mark.asyncio
async def test_commit(client: LanguageClient, folder):
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    await open_document(client, folder)
    shorter = POST.replace("  color: Color = Green;\n", "")
    assert await findings(client, folder, shorter, 2) == ["field-removed"]
    # What was committed is no longer a change.
    (folder / "post.fbs").write_text(shorter)
    git(folder, "commit", "-qam", "second")
    assert await findings(client, folder, shorter + "\n", 3) == []
    git(folder, "reset", "-q", "--hard", "HEAD~1")
    assert await findings(client, folder, shorter, 4) == ["field-removed"]
