import FBSDiagnostics
import FBSParser
import FBSSchema

/// The differences between two versions in words, with the findings of `dflatc check` about them.
///
/// Types are compared by name, and members by name, then by the number that identifies them in bytes. Each finding of
/// the check is attached to the change that it is about. A finding about none of the changes becomes a change of its
/// own, so that nothing that breaks is missing.
public struct SchemaDifference: Sendable {
  /// The changes, by file, then by type, in the order of the new version. Changes about removed definitions come last
  /// in their file.
  public private(set) var changes: [SchemaChange] = []

  private let old: Compilation
  private let new: Compilation
  private let oldPaths: [FileID: String]

  /// Compares two versions, neither of which has an error.
  /// - Parameters:
  ///   - report: the report of a check of the two versions.
  ///   - sources: the files that the report is about.
  public init(
    old: VersionFiles, new: VersionFiles, report: EvolutionReport, sources: (old: SourceMap, new: SourceMap)
  ) {
    self.old = old.compilation
    self.new = new.compilation
    let newPaths = Dictionary(
      new.keys.map { ($1, new.compilation.schema[$0].shownPath) }
    ) { first, _ in first }
    // A file is known by the path that it has now.
    oldPaths = Dictionary(
      uniqueKeysWithValues: old.compilation.schema.files.map { file in
        (file.id, old.keys[file.id].flatMap { newPaths[$0] } ?? file.shownPath)
      })
    compareFiles(old.keys, new.keys)
    compareTypes(Self.renamedTypes(report, sources))
    attach(report.findings, sources)
    sort()
  }

  private func path(new file: FileID) -> String { new.schema[file].shownPath }
  private func path(old file: FileID) -> String { oldPaths[file] ?? "" }

  private mutating func add(
    _ kind: SchemaChange.Kind, _ text: String, of type: DescribedType? = nil, _ member: String = "", path: String
  ) {
    changes.append(
      SchemaChange(
        path: path, typeKind: type?.kind ?? "", typeName: type?.name ?? "", member: member, kind: kind, text: text))
  }

  // MARK: Files

  private mutating func compareFiles(_ oldKeys: [FileID: String], _ newKeys: [FileID: String]) {
    let before = Dictionary(oldKeys.map { ($1, $0) }) { first, _ in first }
    let after = Dictionary(newKeys.map { ($1, $0) }) { first, _ in first }
    for (key, file) in after where before[key] == nil { add(.added, "the file is new", path: path(new: file)) }
    for (key, file) in before {
      guard let now = after[key] else {
        add(.removed, "the file is gone", path: path(old: file))
        continue
      }
      let (first, second) = (old.schema[file], new.schema[now])
      for (name, was, isNow) in [
        (
          "root_type", first.rootTable.map { old.schema[$0].name.description },
          second.rootTable.map { new.schema[$0].name.description }
        ),
        ("file_identifier", first.fileIdentifier, second.fileIdentifier),
        ("file_extension", first.fileExtension, second.fileExtension),
      ] where was != isNow {
        add(.changed, Self.change(of: "`\(name)`", was ?? "", isNow ?? ""), path: path(new: now))
      }
    }
  }

  // MARK: Types

  /// Returns the new names of types that the check has found under another name, by their old names.
  private static func renamedTypes(
    _ report: EvolutionReport, _ sources: (old: SourceMap, new: SourceMap)
  ) -> [String: String] {
    var (old, new) = (NamesByFile(sources.old), NamesByFile(sources.new))
    var renamed: [String: String] = [:]
    for finding in report.findings where ["type-renamed", "table-renamed"].contains(finding.rule.id) {
      guard let first = old.names(at: finding.oldRange).first, let second = new.names(at: finding.range).first,
        renamed[first] == nil
      else { continue }
      renamed[first] = second
    }
    return renamed
  }

  private mutating func compareTypes(_ renamed: [String: String]) {
    let (before, after) = (DescribedType.all(in: old), DescribedType.all(in: new))
    var rest = Dictionary(grouping: before, by: \.name)
    // If several types have the name, the one in the same file is meant.
    func takeOld(named name: String, for type: DescribedType) -> DescribedType? {
      guard var candidates = rest[name], !candidates.isEmpty else { return nil }
      let path = path(new: type.file)
      let index = candidates.firstIndex { oldPaths[$0.file] == path } ?? 0
      let found = candidates.remove(at: index)
      rest[name] = candidates
      return found
    }
    let names = Set(after.map(\.name))
    let oldNames = Dictionary(renamed.filter { !names.contains($0.key) }.map { ($1, $0) }) { first, _ in first }
    for type in after {
      let path = path(new: type.file)
      if let same = takeOld(named: type.name, for: type) {
        compare(same, type, path)
      } else if let name = oldNames[type.name], let same = takeOld(named: name, for: type) {
        add(.changed, "the \(type.kind) was called `\(name)`", of: type, path: path)
        compare(same, type, path)
      } else {
        add(.added, "the \(type.kind) is new\(Self.content(of: type))", of: type, path: path)
      }
    }
    for type in before where rest[type.name]?.contains(where: { $0.file == type.file }) == true {
      add(.removed, "the \(type.kind) is gone", of: type, path: path(old: type.file))
    }
  }

  private static func content(of type: DescribedType) -> String {
    guard !type.members.isEmpty, let kind = type.members.first?.kind else { return "" }
    let shown = type.members.prefix(8).map { "`\($0.text)`" }.joined(separator: ", ")
    let more = type.members.count > 8 ? " and \(type.members.count - 8) more" : ""
    return ", with the \(kind)\(type.members.count == 1 ? "" : "s") \(shown)\(more)"
  }

  private mutating func compare(_ first: DescribedType, _ second: DescribedType, _ path: String) {
    if oldPaths[first.file] != path {
      add(.changed, "the \(second.kind) was in \(oldPaths[first.file] ?? "")", of: second, path: path)
    }
    if first.kind != second.kind {
      add(.changed, "it was a \(first.kind), and is a \(second.kind)", of: second, path: path)
      return
    }
    if first.type != second.type {
      add(.changed, Self.change(of: "the type of its numbers", first.type, second.type), of: second, path: path)
    }
    compareDeclarations(first.declaration, second.declaration, "the \(second.kind)", of: second, "", path)
    var before = first.members
    var pairs: [(DescribedType.Member?, DescribedType.Member)] = second.members.map { member in
      let index = before.firstIndex { $0.name == member.name }
      return (index.map { before.remove(at: $0) }, member)
    }
    // Members left over on both sides have other names. Two of one number and type are one member that was renamed.
    for index in pairs.indices where pairs[index].0 == nil {
      let member = pairs[index].1
      guard let number = member.number,
        let place = before.firstIndex(where: { $0.number?.text == number.text && $0.type == member.type })
      else { continue }
      pairs[index].0 = before.remove(at: place)
    }
    for (was, member) in pairs {
      if let was {
        compare(was, member, of: second, path)
      } else {
        add(.added, "the \(member.kind) `\(member.text)` is new", of: second, member.name, path: path)
      }
    }
    for member in before {
      add(.removed, "the \(member.kind) `\(member.text)` is gone", of: second, member.name, path: path)
    }
  }

  private mutating func compare(
    _ first: DescribedType.Member, _ second: DescribedType.Member, of type: DescribedType, _ path: String
  ) {
    func changed(_ text: String) { add(.changed, text, of: type, second.name, path: path) }
    if first.name != second.name { changed("the \(second.kind) `\(first.name)` is called `\(second.name)`") }
    if let was = first.number, let now = second.number, was.text != now.text {
      changed("`\(second.name)` had the \(was.name) \(was.text), and has \(now.text)")
    }
    if first.type != second.type { changed(Self.change(of: "`\(second.name)`", first.type, second.type)) }
    if first.value != second.value {
      changed(Self.change(of: "the default of `\(second.name)`", first.value, second.value))
    }
    compareDeclarations(first.declaration, second.declaration, "`\(second.name)`", of: type, second.name, path)
  }

  private mutating func compareDeclarations(
    _ first: Declaration, _ second: Declaration, _ subject: String, of type: DescribedType, _ member: String,
    _ path: String
  ) {
    func text(_ attribute: Attribute) -> String {
      switch attribute.value {
      case nil: attribute.name
      case .integer(let value): "\(attribute.name): \(value)"
      case .string(let value): "\(attribute.name): \"\(value)\""
      }
    }
    // An id that is written out where it was counted before changes nothing.
    let before = first.attributes.filter { $0.name != "id" }.map(text)
    let after = second.attributes.filter { $0.name != "id" }.map(text)
    for attribute in after where !before.contains(attribute) {
      add(.changed, "\(subject) is marked `(\(attribute))`", of: type, member, path: path)
    }
    for attribute in before where !after.contains(attribute) {
      add(.changed, "\(subject) is no longer marked `(\(attribute))`", of: type, member, path: path)
    }
    if first.documentation != second.documentation {
      let what = first.documentation.isEmpty ? "has a comment now" : "has another comment"
      add(
        .changed, "\(subject) \(second.documentation.isEmpty ? "has no comment any more" : what)", of: type, member,
        path: path)
    }
  }

  private static func change(of subject: String, _ was: String, _ now: String) -> String {
    if was.isEmpty { return "\(subject) is `\(now)`, and was not set" }
    return now.isEmpty ? "\(subject) was `\(was)`, and is not set" : "\(subject) was `\(was)`, and is `\(now)`"
  }

  // MARK: What the check says

  private mutating func attach(_ findings: [Finding], _ sources: (old: SourceMap, new: SourceMap)) {
    var byName: [String: [Int]] = [:]
    var identifiers: [String: Int] = [:]
    for (index, change) in changes.enumerated() {
      let name = change.member.isEmpty ? change.typeName : "\(change.typeName).\(change.member.prefix { $0 != "(" })"
      byName[name, default: []].append(index)
      if name.isEmpty, change.text.hasPrefix("`file_identifier`") { identifiers[change.path] = index }
    }
    var (old, new) = (NamesByFile(sources.old), NamesByFile(sources.new))
    for finding in findings {
      // As changes have it: a source file has the path that it was read by, which may begin with `./`.
      let path = SourcePath.normalized(
        finding.isAboutGoneFile ? sources.old[finding.oldRange.file].path : sources.new[finding.range.file].path)
      // A file identifier belongs to no declaration, though its statement may follow one.
      let isAboutFile = finding.rule == .fileIdentifier
      var declared = isAboutFile ? [] : old.names(at: finding.oldRange)
      // The place in the new version is exact, unless something is gone from it.
      if !isAboutFile, !finding.isAboutGoneFile, !finding.rule.id.hasSuffix("-removed") {
        declared += new.names(at: finding.range)
      }
      // The innermost name first.
      let candidates = declared.sorted { $0.count > $1.count }.compactMap { byName[$0] }
      // If a member has several changes, the finding may be about any of them, and is shown with the first.
      if let index = isAboutFile ? identifiers[path] : candidates.first?.first {
        changes[index].findings.append(finding)
      } else {
        var change = SchemaChange(
          path: path, typeKind: "", typeName: declared.first ?? "", member: "", kind: .changed, text: finding.message)
        change.findings = [finding]
        changes.append(change)
      }
    }
  }

  /// Sorts the changes by file, and otherwise in the order in which they were found.
  private mutating func sort() {
    changes = changes.enumerated().sorted { first, second in
      if first.element.path != second.element.path {
        return first.element.path.utf8.lexicographicallyPrecedes(second.element.path.utf8)
      }
      return first.offset < second.offset
    }.map(\.element)
  }
}

/// The names of declarations in several files. Each file is parsed once, although there may be a finding about every
/// type in it.
private struct NamesByFile {
  private let sources: SourceMap
  private var known: [FileID: DeclaredNames] = [:]

  init(_ sources: SourceMap) { self.sources = sources }

  /// Returns the names of the declarations around a range: see `DeclaredNames`.
  mutating func names(at range: SourceRange) -> [String] {
    let names = known[range.file] ?? DeclaredNames(sources[range.file])
    known[range.file] = names
    return names.names(at: range)
  }
}
