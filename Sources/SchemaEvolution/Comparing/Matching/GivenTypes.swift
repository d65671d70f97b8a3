import FBSSchema

/// The types that the given files define, and all types that these hold, however deep. They are judged in full even if
/// no root table leads to them, since another file may include a given one and store objects of its types.
///
/// A type that only an included file defines, and that no given type holds, is judged when its own file is given.
struct GivenTypes {
  private let all: Set<DefinitionID>

  init(_ schema: Schema) {
    all = schema.contents(reachedFrom: schema.givenDefinitions)
  }

  func contains(_ id: DefinitionID) -> Bool { all.contains(id) }
}

extension Schema {
  /// The types that the inputs themselves define, in the order of the files.
  var definitionsOfInputs: [DefinitionID] { files.filter(\.isInput).flatMap(\.definitions) }

  /// The types that the inputs define, in the order of the files. An input without definitions stands for the files
  /// that it includes.
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
