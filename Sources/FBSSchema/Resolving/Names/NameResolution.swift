import FBSDiagnostics
import FBSParser

// Resolves names to definitions, and reports names that mean nothing.

extension ResolutionScope {
  func qualifiedName(_ definition: UnresolvedDefinition) -> QualifiedName {
    QualifiedName(
      namespace: symbols.namespaces.components[definition.namespace], name: symbols.names.strings[definition.name])
  }

  func type(_ name: Int, in namespace: Int) -> Int? { symbols.types[.init(namespace, name)] }

  /// Returns whether any definition anywhere has the name. Most names have none, and need no look-up.
  func mayBeType(_ name: Int) -> Bool { symbols.typeCount(name) > 0 }

  /// Looks a path up from the innermost namespace outwards. `found` is the first visible definition, and `hidden` is a
  /// definition that was passed over because the file cannot see it.
  func lookUp(_ components: [Int], from namespace: Int, in file: Int) -> (found: Int?, hidden: Int?) {
    guard let last = components.last else { return (nil, nil) }
    var hidden: Int?
    var outer = namespace
    while outer >= 0 {
      var current: Int? = outer
      for component in components.dropLast() {
        current = current.flatMap { symbols.namespaces.child(component, of: $0) }
      }
      if let current, let found = symbols.types[.init(current, last)] {
        if visibility.canSee(symbols.definitions[found].file, from: file) { return (found, hidden) }
        hidden = hidden ?? found
      }
      outer = symbols.namespaces.parents[outer]
    }
    return (nil, hidden)
  }

  /// Returns the definition that a path within another definition names. Reports a path that names none, and returns
  /// nil.
  func resolve(_ span: TokenSpan, in user: UnresolvedDefinition) -> UnresolvedDefinition? {
    resolveIndex(span, from: user.namespace, in: user.file, user: user.name).map { symbols.definitions[$0] }
  }

  /// Returns the definition that a path names. Reports a path that names none, and returns nil.
  func resolve(_ span: TokenSpan, from namespace: Int, in file: Int) -> UnresolvedDefinition? {
    resolveIndex(span, from: namespace, in: file).map { symbols.definitions[$0] }
  }

  /// Returns the index of the definition that a path names. Reports a path that names none, and returns nil.
  ///
  /// - Parameter user: The name of the definition in which the path stands.
  func resolveIndex(_ span: TokenSpan, from namespace: Int, in file: Int, user: Int? = nil) -> Int? {
    let tree = tree(file)
    var components: [Int] = []
    for token in span.components {
      // The lexer has said that it is no type.
      if tree.tokens[token].isMalformed { return nil }
      guard let id = symbols.names.find(tree.bytes(of: token)) else { break }
      components.append(id)
    }
    var hidden: Int?
    if components.count == (span.last - span.first) / 2 + 1 {
      let isWhole = tree.source.isOfBinarySchema
      let (found, invisible) = lookUp(components, from: isWhole ? NamespaceTable.global : namespace, in: file)
      if let found {
        if isWhole { return found }
        warnIfAmbiguous(components, found, span, from: namespace, in: file)
        return found
      }
      hidden = invisible
    }
    // The path without the blanks and comments that may stand in it.
    let text = span.components.map { tree.text(of: $0) }.joined(separator: ".")
    let range = tree.range(of: span)
    reportUnknown(text, at: range, name: range, from: namespace, in: file, hidden: hidden, user: user)
    return nil
  }

  /// Warns if other compilers take another definition, further out, for a name: the one that we take is not declared
  /// yet, or theirs is an enum or union, which they look for first.
  private func warnIfAmbiguous(
    _ components: [Int], _ found: Int, _ span: TokenSpan, from namespace: Int, in file: Int
  ) {
    guard symbols.typeCount(symbols.definitions[found].name) > 1 else { return }
    let definition = symbols.definitions[found]
    let isForward =
      definition.file == file
      ? definition.nameToken > span.first : placeOfFile[definition.file] > placeOfFile[file]
    var outer = namespace
    while outer >= 0 {
      var current: Int? = outer
      for component in components.dropLast() {
        current = current.flatMap { symbols.namespaces.child(component, of: $0) }
      }
      outer = symbols.namespaces.parents[outer]
      guard let current, let other = symbols.types[.init(current, components[components.count - 1])], other != found,
        visibility.canSee(symbols.definitions[other].file, from: file)
      else { continue }
      guard isForward || (definition.id.isStructure && !symbols.definitions[other].id.isStructure) else { continue }
      let tree = tree(file)
      return report(
        .ambiguousName, .warning,
        "`\(tree.text(of: span))` is `\(qualifiedName(definition))` here, and flatc may take `\(qualifiedName(symbols.definitions[other]))`",
        at: tree.range(of: span), advice: "write the one that is meant with its namespace, or rename one",
        labels: [
          .init(self.tree(definition.file).range(of: definition.nameToken), "this one is taken"),
          .init(
            self.tree(symbols.definitions[other].file).range(of: symbols.definitions[other].nameToken),
            "and not this one"),
        ])
    }
  }

  /// Returns the name to write for a definition: with its namespace, if it is not found without.
  private func reference(to name: String, from namespace: Int, in file: Int) -> String {
    guard let id = symbols.names.find(Array(name.utf8)[...]), id >= BuiltinType.names.count,
      lookUp([id], from: namespace, in: file).found == nil,
      let other = symbols.definitions.first(where: { $0.name == id && visibility.canSee($0.file, from: file) })
    else { return name }
    return qualifiedName(other).description
  }

  /// Returns further advice for a file `user` that does not include a file that it uses, if some file includes both:
  /// `--gen-all` then lets it use that file. Nil if no file does.
  func noteOfIncluder(bringing file: Int, to user: Int) -> String? {
    visibility.entry(bringing: file, to: user).map {
      "\(files[$0].path) includes both: `--gen-all` lets an included file use what those that include it bring"
    }
  }

  /// Reports that nothing defines a name.
  ///
  /// - Parameters:
  ///   - name: The range of the name as it stands in the text, which a fix may replace.
  ///   - user: The name of the definition in which the name stands, which is hardly meant.
  func reportUnknown(
    _ text: String, at range: SourceRange, name: SourceRange?, from namespace: Int, in file: Int,
    hidden: Int?, user: Int? = nil
  ) {
    if let hidden {
      let definition = symbols.definitions[hidden]
      let path = files[definition.file].path
      return error(
        .unknownType, "`\(text)` is defined in \(path), which this file does not include", at: range,
        advice: "add an `include` of it",
        labels: [.init(tree(definition.file).range(of: definition.nameToken), "defined here")],
        notes: noteOfIncluder(bringing: definition.file, to: file).map { [$0] } ?? [])
    }
    if let name = symbols.names.find(Array(text.utf8)[...]), name < BuiltinType.names.count {
      return error(
        .wrongType, "`\(text)` cannot stand here: a type that the schema defines is due", at: range,
        advice: "name a table")
    }
    let last = text.split(separator: ".").last.map(String.init) ?? text
    // The name of a definition that could not be read.
    if unreadNames.contains(last) { return }
    guard suggestionsLeft > 0 else { return error(.unknownType, "`\(text)` is not defined", at: range) }
    suggestionsLeft -= 1
    // A type of this name in another namespace is a better guess than a similar name.
    if let id = symbols.names.find(Array(last.utf8)[...]), mayBeType(id),
      let other = symbols.definitions.first(where: { $0.name == id && visibility.canSee($0.file, from: file) })
    {
      return error(
        .unknownType, "`\(text)` is not defined", at: range, advice: "did you mean `\(qualifiedName(other))`?",
        labels: [.init(tree(other.file).range(of: other.nameToken), "defined here")],
        fixes: name.map { [.replace($0, with: qualifiedName(other).description)] } ?? [])
    }
    var candidates = BuiltinType.names.map(\.name)
    for definition in symbols.definitions.prefix(2000)
    where definition.name != user && visibility.canSee(definition.file, from: file) {
      candidates.append(symbols.names.strings[definition.name])
    }
    // Skipped if the name is a slip of a definition's name.
    if let foreign = ForeignTypes.replacement(for: last), text == last,
      nearestName(to: last, inMany: candidates.dropFirst(BuiltinType.names.count)) == nil
    {
      return error(
        .unknownType, "`\(text)` is not defined", at: range, advice: foreign.advice,
        // Definitions are called so.
        notes: text.first?.isUppercase == true ? ["or define it, or include the file that does"] : [],
        fixes: foreign.name.flatMap { type in name.map { [.replace($0, with: type)] } } ?? [])
    }
    let near = nearestName(to: last, inMany: candidates).map { reference(to: $0, from: namespace, in: file) }
    if near == nil, mayMissDefinitions(file) { return }
    error(
      .unknownType, "`\(text)` is not defined", at: range,
      advice: near.map { "did you mean `\($0)`?" } ?? "",
      notes: near == nil ? ["define it, or include the file that does"] : [],
      fixes: near.flatMap { near in name.map { [.replace($0, with: near)] } } ?? [])
  }
}
