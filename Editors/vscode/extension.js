"use strict";
// Shows in Visual Studio Code what `dflatc lsp` says.

const vscode = require("vscode");
const { Client } = require("./client");

const language = { language: "fbs" };
let client;
let diagnostics;
let legend;
const providers = [];

// From the protocol to the editor.
const position = (place) => new vscode.Position(place.line, place.character);
const range = (place) => new vscode.Range(position(place.start), position(place.end));
const location = (place) => new vscode.Location(vscode.Uri.parse(place.uri), range(place.range));
const textEdit = (edit) => new vscode.TextEdit(range(edit.range), edit.newText);
const workspaceEdit = (edit) => {
  const result = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit.changes || {})) result.set(vscode.Uri.parse(uri), edits.map(textEdit));
  return result;
};
const diagnostic = (item) => {
  const result = new vscode.Diagnostic(range(item.range), item.message, item.severity - 1);
  result.source = item.source;
  result.code = item.codeDescription
    ? { value: item.code, target: vscode.Uri.parse(item.codeDescription.href) }
    : item.code;
  result.tags = item.tags;
  result.relatedInformation = (item.relatedInformation || []).map(
    (related) => new vscode.DiagnosticRelatedInformation(location(related.location), related.message)
  );
  return result;
};
const symbol = (item) => {
  const result = new vscode.DocumentSymbol(
    item.name, item.detail || "", item.kind - 1, range(item.range), range(item.selectionRange)
  );
  result.children = (item.children || []).map(symbol);
  return result;
};
const hierarchyItem = (item) =>
  new vscode.CallHierarchyItem(
    item.kind - 1, item.name, item.detail || "", vscode.Uri.parse(item.uri), range(item.range), range(item.selectionRange)
  );
const selection = (item) =>
  new vscode.SelectionRange(range(item.range), item.parent ? selection(item.parent) : undefined);

// From the editor to the protocol.
const document = (item) => ({ textDocument: { uri: item.uri.toString() } });
const place = (item, at) => ({ ...document(item), position: { line: at.line, character: at.character } });
const span = (item) => ({
  start: { line: item.start.line, character: item.start.character },
  end: { line: item.end.line, character: item.end.character },
});

function start() {
  const settings = vscode.workspace.getConfiguration("dflatc");
  const folders = vscode.workspace.workspaceFolders || [];
  const path = settings.get("path");
  client = new Client(
    path, ["lsp"], folders.length ? folders[0].uri.fsPath : undefined,
    (method, params) => {
      if (method === "textDocument/publishDiagnostics") {
        diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic));
      } else if (method === "window/showMessage") {
        vscode.window.showWarningMessage(params.message);
      }
    },
    (reason) => vscode.window.showErrorMessage(`The language server of dflatc is gone: ${reason}`)
  );
  const capabilities = { workspace: { didChangeWatchedFiles: { dynamicRegistration: false } } };
  return client
    .request("initialize", {
      processId: process.pid,
      capabilities,
      workspaceFolders: folders.map((folder) => ({ uri: folder.uri.toString(), name: folder.name })),
      initializationOptions: {
        includePaths: settings.get("includePaths"),
        emit: settings.get("emit"),
        lint: settings.get("lint"),
        check: settings.get("check"),
      },
    })
    .then((result) => {
      client.notify("initialized", {});
      legend = result.capabilities.semanticTokensProvider.legend;
      register(new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers));
      vscode.workspace.textDocuments.forEach(open);
    })
    // That the server is gone was said.
    .catch(() => {});
}

function open(item) {
  if (item.languageId !== "fbs") return;
  client.notify("textDocument/didOpen", {
    textDocument: { uri: item.uri.toString(), languageId: "fbs", version: item.version, text: item.getText() },
  });
}

function register(tokens) {
  while (providers.length) providers.pop().dispose();
  const languages = vscode.languages;
  const ask = async (method, params, token, convert) => {
    const result = await client.request(`textDocument/${method}`, params, token);
    return result === null ? undefined : convert(result);
  };
  const list = (convert) => (items) => items.map(convert);
  const calls = async (direction, item, token, convert) => {
    const params = { item: { uri: item.uri.toString() } };
    return ((await client.request(`callHierarchy/${direction}Calls`, params, token)) || []).map(convert);
  };
  providers.push(
    languages.registerHoverProvider(language, {
      provideHover: (item, at, token) =>
        ask("hover", place(item, at), token, (hover) =>
          new vscode.Hover(new vscode.MarkdownString(hover.contents.value), range(hover.range))),
    }),
    languages.registerDefinitionProvider(language, {
      provideDefinition: (item, at, token) => ask("definition", place(item, at), token, list(location)),
    }),
    languages.registerReferenceProvider(language, {
      provideReferences: (item, at, context, token) =>
        ask("references", { ...place(item, at), context }, token, list(location)),
    }),
    languages.registerDocumentHighlightProvider(language, {
      provideDocumentHighlights: (item, at, token) =>
        ask("documentHighlight", place(item, at), token,
          list((found) => new vscode.DocumentHighlight(range(found.range), found.kind - 1))),
    }),
    languages.registerDocumentSymbolProvider(language, {
      provideDocumentSymbols: (item, token) => ask("documentSymbol", document(item), token, list(symbol)),
    }),
    languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: async (query, token) =>
        ((await client.request("workspace/symbol", { query }, token)) || []).map(
          (found) =>
            new vscode.SymbolInformation(
              found.name, found.kind - 1, found.containerName || "", location(found.location))),
    }),
    languages.registerCallHierarchyProvider(language, {
      prepareCallHierarchy: (item, at, token) =>
        ask("prepareCallHierarchy", place(item, at), token, list(hierarchyItem)),
      provideCallHierarchyIncomingCalls: (item, token) =>
        calls("incoming", item, token,
          (call) => new vscode.CallHierarchyIncomingCall(hierarchyItem(call.from), call.fromRanges.map(range))),
      provideCallHierarchyOutgoingCalls: (item, token) =>
        calls("outgoing", item, token,
          (call) => new vscode.CallHierarchyOutgoingCall(hierarchyItem(call.to), call.fromRanges.map(range))),
    }),
    languages.registerRenameProvider(language, {
      prepareRename: async (item, at, token) => {
        const found = await client.request("textDocument/prepareRename", place(item, at), token);
        if (!found) throw new Error("This cannot be renamed.");
        return { range: range(found.range), placeholder: found.placeholder };
      },
      provideRenameEdits: (item, at, newName, token) =>
        ask("rename", { ...place(item, at), newName }, token, workspaceEdit),
    }),
    languages.registerCompletionItemProvider(
      language,
      {
        provideCompletionItems: (item, at, token) =>
          ask("completion", place(item, at), token, list((found) => {
            const completion = new vscode.CompletionItem(found.label, found.kind - 1);
            completion.detail = found.detail;
            completion.insertText = found.insertText;
            return completion;
          })),
      },
      ":", "[", "(", '"', "=", " ", ",", ".", "/"
    ),
    languages.registerCodeActionsProvider(language, {
      provideCodeActions: (item, selected, context, token) =>
        ask(
          "codeAction",
          {
            ...document(item), range: span(selected),
            context: { diagnostics: [], only: context.only ? [context.only.value] : undefined },
          },
          token,
          list((found) => {
            const action = new vscode.CodeAction(found.title, vscode.CodeActionKind.Empty.append(found.kind));
            action.edit = workspaceEdit(found.edit);
            action.isPreferred = found.isPreferred;
            action.diagnostics = (found.diagnostics || []).map(diagnostic);
            return action;
          })),
    }),
    languages.registerDocumentFormattingEditProvider(language, {
      provideDocumentFormattingEdits: (item, options, token) =>
        ask("formatting", { ...document(item), options }, token, list(textEdit)),
    }),
    languages.registerDocumentRangeFormattingEditProvider(language, {
      provideDocumentRangeFormattingEdits: (item, selected, options, token) =>
        ask("rangeFormatting", { ...document(item), range: span(selected), options }, token, list(textEdit)),
    }),
    languages.registerOnTypeFormattingEditProvider(
      language,
      {
        provideOnTypeFormattingEdits: (item, at, ch, options, token) =>
          ask("onTypeFormatting", { ...place(item, at), ch, options }, token, list(textEdit)),
      },
      "}", ";", "\n"
    ),
    languages.registerFoldingRangeProvider(language, {
      provideFoldingRanges: (item, context, token) =>
        ask("foldingRange", document(item), token, list((found) => {
          const kinds = { comment: vscode.FoldingRangeKind.Comment, imports: vscode.FoldingRangeKind.Imports };
          return new vscode.FoldingRange(found.startLine, found.endLine, kinds[found.kind]);
        })),
    }),
    languages.registerSelectionRangeProvider(language, {
      provideSelectionRanges: (item, positions, token) =>
        ask("selectionRange", { ...document(item), positions }, token, list(selection)),
    }),
    languages.registerDocumentLinkProvider(language, {
      provideDocumentLinks: (item, token) =>
        ask("documentLink", document(item), token,
          list((found) => new vscode.DocumentLink(range(found.range), vscode.Uri.parse(found.target)))),
    }),
    languages.registerInlayHintsProvider(language, {
      provideInlayHints: (item, visible, token) =>
        ask("inlayHint", { ...document(item), range: span(visible) }, token, list((found) => {
          const hint = new vscode.InlayHint(position(found.position), found.label);
          hint.paddingLeft = true;
          hint.tooltip = found.tooltip;
          return hint;
        })),
    }),
    languages.registerDocumentSemanticTokensProvider(
      language,
      {
        provideDocumentSemanticTokens: (item, token) =>
          ask("semanticTokens/full", document(item), token,
            (found) => new vscode.SemanticTokens(new Uint32Array(found.data))),
      },
      tokens
    )
  );
}

async function restart() {
  await client.stop();
  diagnostics.clear();
  await start();
}

function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection("dflatc");
  const watcher = vscode.workspace.createFileSystemWatcher("**/{*.fbs,.dflatc.json}");
  const changed = (uri) => client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uri.toString(), type: 2 }] });
  context.subscriptions.push(
    diagnostics, watcher,
    watcher.onDidChange(changed), watcher.onDidCreate(changed), watcher.onDidDelete(changed),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidCloseTextDocument((item) => {
      if (item.languageId === "fbs") client.notify("textDocument/didClose", document(item));
    }),
    vscode.workspace.onDidSaveTextDocument((item) => {
      if (item.languageId === "fbs") client.notify("textDocument/didSave", document(item));
    }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document.languageId !== "fbs" || event.contentChanges.length === 0) return;
      client.notify("textDocument/didChange", {
        textDocument: { uri: event.document.uri.toString(), version: event.document.version },
        contentChanges: event.contentChanges.map((change) => ({ range: span(change.range), text: change.text })),
      });
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("dflatc")) return restart();
    }),
    vscode.commands.registerCommand("dflatc.restart", restart)
  );
  return start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
