import FBSSchema

/// The page that links to the pages of all inputs of a run, and searches all their types.
struct SchemaIndexPage {
  /// Returns the page's file name: `index.html`, or another name if the page of an input has that one, in whatever case:
  /// some file systems treat such names as the same.
  static func name(besides pages: some Sequence<String>) -> String {
    let taken = Set(pages.map { $0.lowercased() })
    var name = "index.html"
    var number = 1
    while taken.contains(name) {
      name = number == 1 ? "all_schemas.html" : "all_schemas_\(number).html"
      number += 1
    }
    return name
  }

  /// Returns the page for all inputs of a run, which `schema` holds.
  static func bytes(_ schema: Schema, _ pages: PageNames) -> [UInt8] {
    func page(_ file: SchemaFile) -> String { HTMLText.address(pages.page(of: file) ?? "") }
    var text = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="generator" content="dflatc \(CompilerVersion.current)">
      <title>Schemas</title>
      <style>\(SchemaPageAssets.style)</style>
      </head>
      <body>
      <nav>
      <input id="search" type="search" placeholder="Search names and comments" aria-label="Search names and comments" autofocus>
      <ul id="index">

      """
    let files = schema.files.filter(\.isInput).sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    for file in files {
      text += "<li><a href=\"\(page(file))\">\(HTMLText.escaped(file.shownPath))</a></li>\n"
    }
    text += "</ul>\n</nav>\n<main>\n<h1>Schemas</h1>\n<ul id=\"results\"></ul>\n"
    for file in files {
      let address = page(file)
      text += "<section id=\"\(HTMLText.escaped(file.shownPath))\">\n"
      text += "<h2><a href=\"\(address)\">\(HTMLText.escaped(file.shownPath))</a></h2>\n<ul>\n"
      let services = ServiceAnchors(file, in: schema)
      let entries =
        file.definitions.map { schema.name(of: $0) }.map { (name: $0, anchor: HTMLText.anchor($0)) }
        + file.services.map { schema[$0].name }.map { (name: $0, anchor: services.anchor(of: $0)) }
      for (name, anchor) in entries {
        text += "<li><a href=\"\(address)#\(anchor)\">\(HTMLText.escaped(name.description))</a></li>\n"
      }
      text += "</ul>\n</section>\n"
    }
    text += "</main>\n<script>\n"
    text += SchemaSearchIndex(schema, files: files, address: page).script
    return Array("\(text)\(SchemaPageAssets.indexScript)</script>\n</body>\n</html>\n".utf8)
  }
}
