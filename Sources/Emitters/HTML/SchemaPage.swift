import FBSDiagnostics
import FBSParser
import FBSSchema

/// Writes the page of one schema.
struct SchemaPage {
  private let unit: EmissionUnit
  private let schema: Schema
  private let services: ServiceAnchors
  private var output: [UInt8] = []

  init(_ unit: EmissionUnit) {
    self.unit = unit
    schema = unit.schema
    services = ServiceAnchors(unit.file, in: unit.schema)
    output.reserveCapacity(unit.textCapacity / 2)
  }

  mutating func bytes() -> [UInt8] {
    let title = HTMLText.escaped(unit.fileName)
    write(
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="generator" content="dflatc \(CompilerVersion.current)">
      <title>\(title)</title>
      <style>\(SchemaPageAssets.style)</style>
      </head>
      <body>
      <nav>
      <input id="search" type="search" placeholder="Search names and comments" aria-label="Search names and comments" autofocus>
      <ul id="index">

      """)
    for name in unit.file.definitions.map({ schema.name(of: $0) }) { writeEntry(name, HTMLText.anchor(name)) }
    for name in unit.file.services.map({ schema[$0].name }) { writeEntry(name, services.anchor(of: name)) }
    write("</ul>\n")
    if let index = unit.links?.indexPage { write("<p><a href=\"\(index)\">All schemas</a></p>\n") }
    writeOtherPages()
    write("</nav>\n<main>\n<h1>\(title)</h1>\n")
    writeFacts()
    for definition in unit.file.definitions { write(definition) }
    for service in unit.file.services { write(schema[service]) }
    write("</main>\n<script>\(SchemaPageAssets.script)</script>\n</body>\n</html>\n")
    return output
  }

  private mutating func write(_ text: String) { output.append(contentsOf: text.utf8) }

  // MARK: The page as a whole

  private mutating func writeEntry(_ name: QualifiedName, _ anchor: String) {
    write("<li><a href=\"#\(anchor)\">\(HTMLText.escaped(name.description))</a></li>\n")
  }

  /// Writes links to the pages of the schemas that this one includes, and of those that include it, among the inputs of
  /// the run.
  private mutating func writeOtherPages() {
    let own = unit.file.id
    for (title, ids) in [("Includes", unit.file.includes), ("Included by", unit.links?.includers(of: own) ?? [])] {
      let pages = ids.filter { $0 != own }.compactMap { id in page(of: schema[id]).map { (schema[id].fileName, $0) } }
      guard !pages.isEmpty else { continue }
      write("<h2>\(title)</h2>\n<ul>\n")
      for (name, page) in pages {
        write("<li><a href=\"\(page)\">\(HTMLText.escaped(name))</a></li>\n")
      }
      write("</ul>\n")
    }
  }

  private mutating func writeFacts() {
    let facts: [(String, String)] = [
      ("Root type", unit.file.rootTable.map { link(.table($0)) } ?? ""),
      ("File identifier", unit.file.fileIdentifier.map { "<code>\(HTMLText.escaped($0))</code>" } ?? ""),
      ("File extension", unit.file.fileExtension.map { "<code>\(HTMLText.escaped($0))</code>" } ?? ""),
    ].filter { !$0.1.isEmpty }
    guard !facts.isEmpty else { return }
    write("<dl>\n")
    for (name, value) in facts { write("<dt>\(name)</dt><dd>\(value)</dd>\n") }
    write("</dl>\n")
  }

  // MARK: Types

  private mutating func write(_ definition: DefinitionID) {
    let name = schema.name(of: definition)
    let anchor = HTMLText.anchor(name)
    begin(kind(definition), name, schema.declaration(of: definition), anchor)
    switch definition {
    case .enumeration(let id):
      writeRows(
        ["Value", "Number"], within: anchor,
        schema[id].names.map { ($0.name, $0.declaration, [schema[id].literal($0)]) })
    case .structure(let id):
      writeRows(
        ["Field", "Type", "Offset"], within: anchor,
        schema[id].fields.map { ($0.name, $0.declaration, [type($0.type), String($0.offset)]) })
    case .table(let id):
      writeRows(
        ["Field", "Type", "Default", "Id"], within: anchor,
        schema[id].fields.map { field in
          (field.name, field.declaration, [type(field.type), value(of: field), String(field.id)])
        })
    case .union(let id):
      writeRows(
        ["Member", "Type", "Code"], within: anchor,
        schema[id].members.map { member in
          let type =
            switch member.type {
            case .table(let id): link(.table(id))
            case .structure(let id): link(.structure(id))
            case .string: "<code>string</code>"
            }
          return (member.name, member.declaration, [type, member.codeText])
        })
    }
    writeUses(of: definition)
    write("</section>\n")
  }

  private mutating func write(_ service: ServiceDefinition) {
    let anchor = services.anchor(of: service.name)
    begin("rpc_service", service.name, service.declaration, anchor)
    writeRows(
      ["Method", "Takes", "Gives"], within: anchor,
      service.methods.map {
        ($0.name, $0.declaration, [link(.table($0.request)), link(.table($0.response))])
      })
    write("</section>\n")
  }

  private func kind(_ definition: DefinitionID) -> String {
    switch definition {
    case .enumeration(let id):
      "\(schema[id].isBitFlags ? "bit flags" : "enum") of \(schema[id].underlyingType.schemaName)"
    case .structure(let id): "struct of \(schema[id].size) bytes"
    case .table(let id): id == unit.file.rootTable ? "root table" : "table"
    case .union: "union"
    }
  }

  private mutating func begin(_ kind: String, _ name: QualifiedName, _ declaration: Declaration, _ anchor: String) {
    write(
      """
      <section id="\(anchor)">
      <h2><a href="#\(anchor)">\(HTMLText.escaped(name.description))</a> <small>\(kind)</small></h2>
      \(HTMLText.paragraphs(declaration.documentation))\(attributes(declaration))

      """)
  }

  /// Writes a table with a row for each part of a type or service, which has the fragment `anchor`. The table has a
  /// column for descriptions and attributes if a part has some.
  private mutating func writeRows(
    _ columns: [String], within anchor: String, _ rows: [(name: String, Declaration, cells: [String])]
  ) {
    guard !rows.isEmpty else { return write("<p>It is empty.</p>\n") }
    let hasNotes = rows.contains { !$0.1.documentation.isEmpty || !$0.1.attributes.isEmpty }
    write("<table>\n<tr>")
    for column in columns + (hasNotes ? ["Description"] : []) { write("<th>\(column)</th>") }
    write("</tr>\n")
    for (name, declaration, cells) in rows {
      let row = HTMLText.anchor(name, within: anchor)
      write("<tr id=\"\(row)\"\(declaration.has("deprecated") ? " class=\"deprecated\"" : "")>")
      write("<td><code>\(HTMLText.escaped(name))</code></td>")
      for cell in cells { write("<td>\(cell)</td>") }
      if hasNotes { write("<td>\(HTMLText.paragraphs(declaration.documentation))\(attributes(declaration))</td>") }
      write("</tr>\n")
    }
    write("</table>\n")
  }

  private func attributes(_ declaration: Declaration) -> String {
    let names = declaration.attributes.map { attribute in
      switch attribute.value {
      case nil: attribute.name
      case .integer(let value): "\(attribute.name): \(value)"
      case .string(let value): "\(attribute.name): \"\(value)\""
      }
    }
    return names.map { "<code class=\"attribute\">\(HTMLText.escaped($0))</code> " }.joined()
  }

  /// Writes links to the types that hold a type, in all schemas of the run.
  private mutating func writeUses(of definition: DefinitionID) {
    let users = unit.links?.users(of: definition) ?? []
    guard !users.isEmpty else { return }
    write("<p class=\"uses\">Used by \(users.map(link).joined(separator: ", "))</p>\n")
  }

  // MARK: Cells

  private func type(_ type: FieldType) -> String {
    switch type {
    case .scalar(let type): "<code>\(type.schemaName)</code>"
    case .string: "<code>string</code>"
    case .vector(of: .scalar(let type)): "<code>[\(type.schemaName)]</code>"
    case .vector(of: .string): "<code>[string]</code>"
    case .vector: "[" + (type.definition.map(link) ?? "") + "]"
    case .enumeration, .structure, .table, .union: type.definition.map(link) ?? ""
    }
  }

  private func type(_ type: StructDefinition.FieldType) -> String {
    switch type {
    case .scalar(let type): "<code>\(type.schemaName)</code>"
    case .array(of: let element, let count): "[\(self.type(element)):\(count)]"
    case .enumeration, .structure: type.definition.map(link) ?? ""
    }
  }

  /// Returns the value of an absent field.
  private func value(of field: FieldDefinition) -> String {
    if let text = SchemaDefaultText(schema).of(field) { return "<code>\(HTMLText.escaped(text))</code>" }
    return field.presence == .required ? "required" : ""
  }

  /// Returns a type's name, with a link to its description on this page or on the page of another input.
  private func link(_ definition: DefinitionID) -> String {
    let name = schema.name(of: definition)
    let file = schema[schema.declaration(of: definition).nameRange.file]
    let text = HTMLText.escaped(name.description)
    guard let page = file.id == unit.file.id ? "" : page(of: file) else { return "<code>\(text)</code>" }
    return "<a href=\"\(page)#\(HTMLText.anchor(name))\"><code>\(text)</code></a>"
  }

  /// Returns the address of a file's page; nil for a file that is no input of the run.
  private func page(of file: SchemaFile) -> String? { unit.links?.page(of: file).map(HTMLText.address) }
}
