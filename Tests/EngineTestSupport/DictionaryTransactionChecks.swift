import Dflat
import Golden_post
import Testing

/// Checks what transactions see of the dictionary and make of it, in workspaces of any engine.
package struct DictionaryTransactionChecks {
  private let workspace: any Workspace
  private let other: any Workspace
  private let errors: Collected<any Error>
  private var dictionary: any WorkspaceDictionary { workspace.dictionary }

  /// - Parameters:
  ///   - workspace: has an empty database.
  ///   - other: has the same one.
  ///   - errors: what their error handlers were told.
  package init(_ workspace: any Workspace, _ other: any Workspace, _ errors: Collected<any Error>) {
    self.workspace = workspace
    self.other = other
    self.errors = errors
  }

  private func perform(
    completing expected: Bool = true, _ changes: @escaping @Sendable (any TransactionContext) -> Void
  ) {
    let isOver = Gate()
    let outcome = Locked(!expected)
    workspace.performChanges([Post.self], changesHandler: changes) {
      outcome.value = $0
      isOver.open()
    }
    #expect(isOver.wait())
    #expect(outcome.value == expected, "\(errors.values)")
  }

  /// A transaction sees what it has set, and nobody else does before it is committed.
  package func checkOwnWrites() {
    dictionary["a"] = 1
    dictionary["removed"] = 1
    #expect(dictionary.synchronize())
    perform { [workspace, other] context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "p")))
      context.dictionary["a"] = 2
      context.dictionary["b"] = "x"
      context.dictionary["removed"] = nil
      context.dictionary.namespace("other")["c"] = 1
      #expect(context.dictionary["a"] == 2)
      #expect(context.dictionary["b"] == "x")
      #expect(context.dictionary["removed", Int.self] == nil)
      #expect(context.dictionary["c", Int.self] == nil)
      #expect(Set(context.dictionary.keys) == ["a", "b"])
      context.dictionary["a", default: 0] += 1
      #expect(context.dictionary["a"] == 3)
      // Outside of the transaction, on its own thread and in another workspace.
      #expect(workspace.dictionary["a"] == 1)
      #expect(workspace.dictionary["b", String.self] == nil)
      #expect(other.dictionary["b", String.self] == nil)
    }
    #expect(dictionary["a"] == 3 && dictionary["b"] == "x" && dictionary["removed", Int.self] == nil)
    // It is on disk, with the transaction.
    #expect(other.dictionary["a"] == 3 && other.dictionary["b"] == "x" && other.dictionary["removed", Int.self] == nil)
    #expect(Set(other.dictionary.keys) == ["a", "b"])
    #expect(other.dictionary.namespace("other")["c"] == 1)
    #expect(errors.count == 0, "\(errors.values)")
  }

  /// An abort leaves no trace, and after it nothing can be set.
  package func checkAbort() {
    dictionary["a"] = 1
    #expect(dictionary.synchronize())
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let subscription = dictionary.subscribe("a", of: Int.self) { told.append($0) }
    perform(completing: false) { context in
      context.dictionary["a"] = 2
      context.dictionary["b"] = 3
      context.abort()
      context.dictionary["a"] = 4
      context.dictionary["c"] = Stubborn(refusesToEncode: true)
    }
    for each in [workspace, other] { #expect(each.dictionary["a"] == 1 && each.dictionary.keys == ["a"]) }
    #expect(told.values == [.initial(1)])
    subscription.cancel()
    #expect(errors.count == 0, "\(errors.values)")
  }

  /// Removing all keys of a namespace removes those that are stored and those that the transaction has set.
  package func checkRemoveAll() {
    let space = dictionary.namespace("other")
    dictionary["disk"] = 1
    space["kept"] = 3
    #expect(dictionary.synchronize())
    perform { context in
      context.dictionary["own"] = 4
      context.dictionary.removeAll()
      #expect(context.dictionary.keys.isEmpty)
      context.dictionary["later"] = 5
      #expect(context.dictionary.namespace("other")["kept"] == 3)
    }
    for each in [workspace, other] {
      #expect(each.dictionary.keys == ["later"] && each.dictionary["later"] == 5)
      #expect(each.dictionary.namespace("other")["kept"] == 3)
    }
    #expect(errors.count == 0, "\(errors.values)")
  }

  /// A value that cannot be encoded fails the transaction, and the error handler is told of the key.
  package func checkEncodingFails() {
    perform(completing: false) { context in
      context.dictionary["a"] = 1
      context.dictionary.namespace("space")["k"] = Stubborn(refusesToEncode: true)
      context.dictionary["b"] = 2
      context.try(submit: PostChangeRequest.creationRequest(Post(title: "p")))
    }
    #expect(dictionary.keys.isEmpty)
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
    let errors = errors.values.compactMap { $0 as? DictionaryError }
    #expect(errors.count == 1 && errors.first?.key == "k" && errors.first?.namespace == "space")
  }

  /// To who reads a key as another type than its value has, the key has no value. The error handler is told the first time, and the
  /// first time after the key was set again.
  package func checkUnreadable() {
    dictionary["k"] = "text"
    #expect(dictionary.synchronize())
    perform { context in
      #expect(context.dictionary["k", Int.self] == nil)
      #expect(context.dictionary["k", Int.self] == nil)
    }
    #expect(dictionary["k", Int.self] == nil)
    #expect(errors.count == 1, "\(errors.values)")
    dictionary["k"] = "text 2"
    let told = Collected<SubscribedDictionaryValue<Int>>()
    let subscriptions = (0..<2).map { _ in dictionary.subscribe("k", of: Int.self) { told.append($0) } }
    perform { context in #expect(context.dictionary["k", Int.self] == nil) }
    #expect(told.values == [.initial(nil), .initial(nil)])
    for subscription in subscriptions { subscription.cancel() }
    let errors = errors.values.compactMap { $0 as? DictionaryError }
    #expect(errors.count == 2 && errors.allSatisfy { $0.key == "k" && $0.namespace == "" })
  }
}

/// A value that refuses to be encoded, or to be decoded.
package struct Stubborn: Codable, Equatable {
  package struct Refusal: Error {}

  private var value = 1
  private var refusesToEncode = false
  private var refusesToDecode = false

  package init(value: Int = 1, refusesToEncode: Bool = false, refusesToDecode: Bool = false) {
    self.value = value
    self.refusesToEncode = refusesToEncode
    self.refusesToDecode = refusesToDecode
  }

  package init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    value = try container.decode(Int.self)
    if try container.decode(Bool.self) { throw Refusal() }
  }

  package func encode(to encoder: any Encoder) throws {
    if refusesToEncode { throw Refusal() }
    var container = encoder.unkeyedContainer()
    try container.encode(value)
    try container.encode(refusesToDecode)
  }
}
