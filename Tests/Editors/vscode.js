"use strict";
// Runs the extension of Visual Studio Code in Node, with a stand-in for the editor: it sees a mistake, gets its fix, a hover and
// a rename, and starts the server again after it was killed. The stand-in has the names of the API, and what they take, as this
// file has them. Arguments: the folder of the extension, a folder to work in. DFLATC names the program.

const Module = require("module");
const path = require("path");
const assert = require("assert");
const { pathToFileURL, fileURLToPath } = require("url");

class Uri {
  constructor(text) { this.text = text; this.fsPath = text.startsWith("file:") ? fileURLToPath(text) : text; }
  toString() { return this.text; }
  static parse(text) { return new Uri(text); }
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
class Location { constructor(uri, range) { Object.assign(this, { uri, range }); } }
class TextEdit { constructor(range, newText) { Object.assign(this, { range, newText }); } }
class WorkspaceEdit {
  constructor() { this.edits = new Map(); }
  set(uri, edits) { this.edits.set(uri.toString(), edits); }
}
class Named { constructor(...values) { this.values = values; } }

// What Visual Studio Code has of `languages`, as far as the extension uses it.
const registrations = [
  "registerCallHierarchyProvider", "registerCodeActionsProvider", "registerCompletionItemProvider", "registerDefinitionProvider",
  "registerDocumentFormattingEditProvider", "registerDocumentHighlightProvider", "registerDocumentLinkProvider",
  "registerDocumentRangeFormattingEditProvider", "registerDocumentSemanticTokensProvider", "registerDocumentSymbolProvider",
  "registerFoldingRangeProvider", "registerHoverProvider", "registerInlayHintsProvider", "registerOnTypeFormattingEditProvider",
  "registerReferenceProvider", "registerRenameProvider", "registerSelectionRangeProvider", "registerWorkspaceSymbolProvider",
];
const providers = {};
const commands = {};
const servers = [];
const listeners = {};
const shown = new Map();
const messages = [];
let tell = () => {};
const say = (text) => { messages.push(text); tell(); };
const disposable = { dispose() {} };
const event = (name) => (listener) => { listeners[name] = listener; return disposable; };
const root = pathToFileURL(process.argv[3]).toString();

const languages = new Proxy(
  {
    createDiagnosticCollection: () => ({
      set(uri, items) { shown.set(uri.toString(), items); tell(); },
      clear() { shown.clear(); },
      dispose() {},
    }),
  },
  {
    get: (target, name) =>
      target[name] || ((...parameters) => { providers[name] = parameters.find((value) => Object.keys(value).some((key) => /^(provide|prepare)/.test(key))); return disposable; }),
  }
);
const settings = { path: process.env.DFLATC, includePaths: [], emit: [], lint: true, check: true };
const vscode = {
  Uri, Position, Range, Location, TextEdit, WorkspaceEdit, languages,
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  DiagnosticRelatedInformation: Named, Hover: Named, MarkdownString: Named, DocumentSymbol: Named, SymbolInformation: Named,
  SelectionRange: Named, FoldingRange: Named, FoldingRangeKind: {}, DocumentLink: Named, InlayHint: Named,
  CallHierarchyItem: class {
    constructor(kind, name, detail, uri, range) { Object.assign(this, { kind, name, detail, uri, range }); }
  },
  CallHierarchyIncomingCall: Named, CallHierarchyOutgoingCall: Named, SemanticTokens: Named, SemanticTokensLegend: Named, DocumentHighlight: Named, CompletionItem: Named,
  CodeAction: class { constructor(title, kind) { Object.assign(this, { title, kind }); } },
  CodeActionKind: { Empty: { append: (value) => ({ value }) } },
  commands: { registerCommand: (name, action) => { commands[name] = action; return disposable; } },
  window: { showErrorMessage: say, showWarningMessage: say },
  workspace: {
    workspaceFolders: [{ uri: new Uri(root), name: "w" }],
    textDocuments: [],
    getConfiguration: () => ({ get: (name) => settings[name] }),
    createFileSystemWatcher: () => ({
      onDidChange: event("fileChange"), onDidCreate: event("fileCreate"), onDidDelete: event("fileDelete"), dispose() {},
    }),
    onDidOpenTextDocument: event("open"), onDidCloseTextDocument: event("close"), onDidSaveTextDocument: event("save"),
    onDidChangeTextDocument: event("change"), onDidChangeConfiguration: event("configuration"),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

// The extension takes the function from the module when it is loaded.
const processes = require("child_process");
const { spawn } = processes;
processes.spawn = (...parameters) => { servers.push(spawn(...parameters)); return servers[servers.length - 1]; };

/** Waits for the next diagnostics or messages that a test is content with. */
const until = (condition) =>
  new Promise((resolve) => {
    tell = () => { if (condition()) resolve(); };
    tell();
  });

async function main() {
  const extension = require(path.resolve(process.argv[2], "extension.js"));
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepStrictEqual(Object.keys(providers).sort(), registrations);
  let text = "table Post {\n  title: string\n}\n";
  const uri = new Uri(root + "/post.fbs");
  const item = { uri, languageId: "fbs", version: 1, getText: () => text };
  listeners.open(item);
  await until(() => shown.get(uri.toString())?.length);
  const [first] = shown.get(uri.toString());
  assert.strictEqual(first.code.value, "D0111");
  assert.strictEqual(first.severity, 0);

  const provide = async (name, method, ...parameters) => providers[name][method](item, ...parameters);
  const actions = await provide("registerCodeActionsProvider", "provideCodeActions", first.range, {});
  const [edit] = actions[0].edit.edits.get(uri.toString());
  assert.deepStrictEqual([edit.newText, edit.range.start.line], [";", 1]);
  text = "table Post {\n  title: string;\n}\n";
  item.version = 2;
  listeners.change({ document: item, contentChanges: [{ range: edit.range, text: edit.newText }] });
  await until(() => shown.get(uri.toString())?.length === 0);

  const at = new Position(0, 7);
  const hover = await provide("registerHoverProvider", "provideHover", at);
  assert.match(hover.values[0].values[0], /table Post/);
  const renamed = await provide("registerRenameProvider", "provideRenameEdits", at, "Article");
  assert.strictEqual(renamed.edits.get(uri.toString())[0].newText, "Article");
  const renamable = await provide("registerRenameProvider", "prepareRename", at);
  assert.deepStrictEqual([renamable.placeholder, renamable.range.end.character], ["Post", 10]);
  await assert.rejects(provide("registerRenameProvider", "provideRenameEdits", at, "1"), /is no name/);
  const symbols = await provide("registerDocumentSymbolProvider", "provideDocumentSymbols");
  assert.strictEqual(symbols[0].values[0], "Post");
  for (const [name, method, ...parameters] of [
    ["registerDefinitionProvider", "provideDefinition", at],
    ["registerReferenceProvider", "provideReferences", at, { includeDeclaration: true }],
    ["registerDocumentHighlightProvider", "provideDocumentHighlights", at],
    ["registerCompletionItemProvider", "provideCompletionItems", new Position(1, 9)],
    ["registerFoldingRangeProvider", "provideFoldingRanges", {}],
    ["registerSelectionRangeProvider", "provideSelectionRanges", [at]],
    ["registerInlayHintsProvider", "provideInlayHints", { start: new Position(0, 0), end: new Position(9, 0) }],
  ]) {
    const found = await provide(name, method, ...parameters);
    assert.ok(found.length > 0, name);
  }
  const tokens = await provide("registerDocumentSemanticTokensProvider", "provideDocumentSemanticTokens");
  assert.ok(tokens.values[0].length > 0);
  assert.deepStrictEqual(await provide("registerDocumentFormattingEditProvider", "provideDocumentFormattingEdits", {}), []);
  const part = [{ start: new Position(0, 0), end: new Position(2, 0) }, {}];
  assert.deepStrictEqual(
    await provide("registerDocumentRangeFormattingEditProvider", "provideDocumentRangeFormattingEdits", ...part), []);
  const typing = [new Position(1, 17), ";", {}];
  assert.deepStrictEqual(await provide("registerOnTypeFormattingEditProvider", "provideOnTypeFormattingEdits", ...typing), []);

  const user = { uri: new Uri(root + "/user.fbs"), languageId: "fbs", version: 1, getText: () => 'include "post.fbs";\n' };
  listeners.open(user);
  const [link] = await providers.registerDocumentLinkProvider.provideDocumentLinks(user);
  assert.strictEqual(link.values[1].toString(), uri.toString());
  const found = await providers.registerWorkspaceSymbolProvider.provideWorkspaceSymbols("Post");
  assert.ok(found.some((symbol) => symbol.values[0] === "Post" && symbol.values[3].uri.toString() === uri.toString()));
  const hierarchy = providers.registerCallHierarchyProvider;
  const [called] = await hierarchy.prepareCallHierarchy(item, at);
  assert.deepStrictEqual([called.kind, called.name, called.uri.toString()], [0, "post.fbs", uri.toString()]);
  const [incoming] = await hierarchy.provideCallHierarchyIncomingCalls(called);
  assert.strictEqual(incoming.values[0].uri.toString(), user.uri.toString());
  assert.strictEqual(incoming.values[1][0].end.character, 19);
  const [outgoing] = await hierarchy.provideCallHierarchyOutgoingCalls(incoming.values[0]);
  assert.strictEqual(outgoing.values[0].uri.toString(), uri.toString());
  listeners.close(user);
  assert.deepStrictEqual(messages, []);

  // A server that was killed is reported. The next one knows the unsaved text, also after a change of the settings.
  vscode.workspace.textDocuments.push(item);
  text = "table Post {\n  title: Nothing;\n}\n";
  item.version = 3;
  const type = { start: new Position(1, 9), end: new Position(1, 15) };
  listeners.change({ document: item, contentChanges: [{ range: type, text: "Nothing" }] });
  const codes = () => (shown.get(uri.toString()) || []).map((each) => each.code.value);
  await until(() => codes().includes("D0204"));
  servers[0].kill("SIGKILL");
  await until(() => messages.length > 0);
  assert.match(messages.shift(), /language server of dflatc is gone/);
  await commands["dflatc.restart"]();
  await until(() => codes().includes("D0204"));
  await listeners.configuration({ affectsConfiguration: (name) => name === "dflatc" });
  await until(() => codes().includes("D0204"));
  assert.strictEqual(servers.length, 3);

  listeners.save(item);
  for (const name of ["fileChange", "fileCreate", "fileDelete"]) listeners[name](uri);
  listeners.close(item);
  await until(() => codes().length === 0);
  await extension.deactivate();
  assert.deepStrictEqual(messages, []);
  console.log("vscode: all done");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
