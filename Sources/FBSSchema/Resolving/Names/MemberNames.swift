import FBSDiagnostics
import FBSParser

/// Finds members with the same name in a definition. Records in which definition each name was seen last, and as which
/// member.
struct MemberNames {
  /// The last occurrence of each name, by the number of the name.
  private var lastSeen: [(definition: Int, member: Int)] = []

  /// Returns the definition in which a name was seen last; -1 if in none.
  func definition(of name: Int) -> Int { name < lastSeen.count ? lastSeen[name].definition : -1 }

  /// Returns the member that had the name when it was seen last.
  func member(of name: Int) -> Int { lastSeen[name].member }

  /// Marks a name as used by a member of a definition. Returns false if another member has it.
  mutating func isNew(_ name: Int, in definition: Int, as member: Int) -> Bool {
    guard self.definition(of: name) != definition else { return false }
    while lastSeen.count <= name { lastSeen.append((-1, -1)) }
    lastSeen[name] = (definition, member)
    return true
  }

  /// Checks that no other field has a field's name.
  ///
  /// - Parameters:
  ///   - place: The index of the field among the fields.
  ///   - fields: The fields of the definition, in `SyntaxTree.fields`.
  mutating func checkFieldName(
    _ name: Int, _ place: Int, of fields: Range<Int>, _ declaration: Declaration, _ index: Int, _ scope: ResolutionScope
  ) {
    let definition = scope.symbols.definitions[index]
    if !isNew(name, in: index, as: place) {
      let tree = scope.tree(definition.file)
      return scope.duplicateMember(
        "`\(scope.qualifiedName(definition))` has two fields `\(scope.symbols.names.strings[name])`",
        at: declaration.nameRange,
        first: tree.range(of: tree.fields[fields.lowerBound + member(of: name)].name))
    }
    // The text of a binary schema has another order. The compiler that wrote the schema has checked the names.
    guard scope.mayBeType(name), !scope.tree(definition.file).source.isOfBinarySchema,
      let found = scope.lookUp([name], from: definition.namespace, in: definition.file).found, found <= index
    else { return }
    switch scope.symbols.definitions[found].id {
    case .enumeration, .union: break
    case .table, .structure:
      let other = scope.symbols.definitions[found]
      scope.error(
        .nameClash, "a field cannot have the name of \(other.id.kindName)", at: declaration.nameRange,
        advice: "rename it, such as `\(freeName(like: name, among: fields, definition, scope))`",
        labels: found == index ? [] : [.init(scope.tree(other.file).range(of: other.nameToken), "defined here")])
    }
  }

  /// Returns a name for a field that neither a type nor another field has.
  ///
  /// - Parameter fields: The fields of the definition, in `SyntaxTree.fields`.
  private func freeName(
    like name: Int, among fields: Range<Int>, _ definition: UnresolvedDefinition, _ scope: ResolutionScope
  ) -> String {
    let tree = scope.tree(definition.file)
    let text = scope.symbols.names.strings[name]
    let taken = Set(fields.map { tree.text(of: tree.fields[$0].name) })
    func isFree(_ candidate: String) -> Bool {
      guard candidate != text, !taken.contains(candidate) else { return false }
      guard let id = scope.symbols.names.find(Array(candidate.utf8)[...]) else { return true }
      return scope.lookUp([id], from: definition.namespace, in: definition.file).found == nil
    }
    let camelCase = text.prefix(1).lowercased() + text.dropFirst()
    for candidate in [camelCase, text.lowercased(), "\(text.lowercased())_value"] where isFree(candidate) {
      return candidate
    }
    var number = 2
    while !isFree("\(text.lowercased())\(number)") { number += 1 }
    return "\(text.lowercased())\(number)"
  }
}
