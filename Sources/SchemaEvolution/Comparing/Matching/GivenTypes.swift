import FBSSchema

/// The types that the given files define, and what those hold, however deep: they are judged in full, also if no root leads
/// to them. Another file may include the given one and store objects of its types.
///
/// A type that only an included file defines, and that nothing here holds, is judged where its file is given.
struct GivenTypes {
  private let all: Set<DefinitionID>

  init(_ schema: Schema) {
    all = schema.contents(reachedFrom: schema.givenDefinitions)
  }

  func contains(_ id: DefinitionID) -> Bool { all.contains(id) }
}

extension Schema {
  /// What the inputs themselves define, in the order of the files.
  var definitionsOfInputs: [DefinitionID] { files.filter(\.isInput).flatMap(\.definitions) }

  /// What the inputs define, in the order of the files. An input that defines nothing stands for what it includes.
  var givenDefinitions: [DefinitionID] {
    var queue = files.filter(\.isInput).map(\.id)
    var known = Set(queue)
    var next = 0
    while next < queue.count {
      let file = self[queue[next]]
      next += 1
      guard file.definitions.isEmpty, file.services.isEmpty else { continue }
      for included in file.includes where known.insert(included).inserted { queue.append(included) }
    }
    return queue.sorted { $0 < $1 }.flatMap { self[$0].definitions }
  }
}
