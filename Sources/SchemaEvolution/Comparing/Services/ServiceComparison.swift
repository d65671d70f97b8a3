import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares the services of the given files: each method that clients call must still exist, with the same request and
/// response.
struct ServiceComparison: ComparisonStage {
  let versions: VersionPair
  let matching: TypeMatching
  var findings: [Finding] = []

  mutating func compare() {
    let after = Dictionary(new.schema.services.map { ($0.name, $0) }) { first, _ in first }
    for service in old.schema.services where old.schema[service.declaration.nameRange.file].isInput {
      if let same = after[service.name] { compare(service, same) } else { reportRemoval(of: service) }
    }
  }

  private mutating func reportRemoval(of service: ServiceDefinition) {
    let known = Set(old.schema.services.map(\.name))
    let names = service.methods.map(\.name)
    // A new service with the same methods is probably the removed one, renamed.
    let heir = new.schema.services.first { !known.contains($0.name) && $0.methods.map(\.name) == names }
    let file = new.schema.files.first { $0.isInput }?.id ?? FileID(0)
    report(
      .serviceRemoved,
      heir.map { "service `\(service.name)` is called `\($0.name)`" } ?? "service `\(service.name)` is gone",
      harm: "clients call its methods by the old name, and fail", advice: "keep it as long as clients are in use",
      at: heir?.declaration.nameRange ?? rangeOfGone(service.declaration)
        ?? SourceRange(file: file, start: 0, end: 0),
      was: service.declaration.nameRange, heir == nil ? "this service is gone" : "the old name",
      fix: heir.flatMap { heir in
        heir.name.namespace == service.name.namespace
          ? .init(title: "put the old name back", range: heir.declaration.nameRange, replacement: service.name.name)
          : nil
      })
  }

  private mutating func compare(_ first: ServiceDefinition, _ second: ServiceDefinition) {
    let after = Dictionary(second.methods.map { ($0.name, $0) }) { first, _ in first }
    let known = Set(first.methods.map(\.name))
    var taken: Set<String> = []
    for method in first.methods {
      guard let same = after[method.name] else {
        let heirs = second.methods.filter {
          !known.contains($0.name) && !taken.contains($0.name) && haveSameTables(method, $0)
        }
        let heir = heirs.count == 1 ? heirs.first : nil
        if let heir { taken.insert(heir.name) }
        reportRemoval(of: method, of: second, heir)
        continue
      }
      compare(method, same)
    }
  }

  private mutating func reportRemoval(
    of method: ServiceDefinition.Method, of service: ServiceDefinition, _ heir: ServiceDefinition.Method?
  ) {
    report(
      .methodRemoved,
      heir.map { "the method `\(method.name)` is called `\($0.name)`" }
        ?? "the method `\(method.name)` of `\(service.name)` is gone",
      harm: "clients call it by the old name, and fail", advice: "keep it beside the new one",
      at: heir?.declaration.nameRange ?? service.declaration.nameRange, was: method.declaration.nameRange,
      heir == nil ? "this method is gone" : "the old name",
      fix: heir.map {
        .init(title: "put the old name back", range: $0.declaration.nameRange, replacement: method.name)
      })
  }

  private mutating func compare(_ first: ServiceDefinition.Method, _ second: ServiceDefinition.Method) {
    let changes = [
      ("took", "takes", first.request, second.request), ("gave", "gives", first.response, second.response),
    ].filter { !isSame($0.2, $0.3) }.map { was, now, before, after in
      "\(was) `\(old.schema[before].name)`, and \(now) `\(new.schema[after].name)`"
    }
    if !changes.isEmpty {
      // One finding for both: of several with the same rule and ranges, only one would be reported.
      report(
        .methodType, "`\(first.name)` \(changes.joined(separator: "; it "))",
        harm: "what one side sends is read by the other as a table that it is not",
        advice: changes.count == 1
          ? "put the table back, or add a method with the other one"
          : "put the tables back, or add a method with the other ones",
        at: second.declaration.nameRange, was: first.declaration.nameRange, "the method was this")
    }
    let (before, after) = (streaming(first), streaming(second))
    if before != after, !versions.isUnknown("streaming") {
      report(
        .methodStreaming, "`\(first.name)` streams \(after), and streamed \(before)",
        harm: "a side that sends one message and a side that streams do not understand each other",
        advice: "add a method that streams so",
        at: second.declaration.attribute("streaming")?.range ?? second.declaration.nameRange,
        was: first.declaration.attribute("streaming")?.range ?? first.declaration.nameRange, "it streamed so")
    }
  }

  private func haveSameTables(_ first: ServiceDefinition.Method, _ second: ServiceDefinition.Method) -> Bool {
    isSame(first.request, second.request) && isSame(first.response, second.response)
  }

  private func isSame(_ first: TableID, _ second: TableID) -> Bool {
    if let found = matching.newOf[.table(first)] { return found == .table(second) }
    return old.schema[first].name == new.schema[second].name
  }

  /// Returns in words which sides of a method stream.
  private func streaming(_ method: ServiceDefinition.Method) -> String {
    switch method.declaration.attribute("streaming")?.value {
    case .string("client"): "from the client"
    case .string("server"): "from the server"
    case .string("bidi"): "both ways"
    default: "neither way"
    }
  }
}
