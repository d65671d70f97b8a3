import Dflat

/// A namespace of the dictionary of a workspace, as an engine implements it: how keys are read, set and written. What is reported,
/// and how a subscriber is told, is the same for all engines, and stands in an extension.
package protocol EngineDictionary: WorkspaceDictionary {
  var name: DictionaryKey { get }
  var reporter: ErrorReporter { get }

  /// Notes that a value was reported as one that cannot be read. Returns false if it has been reported before.
  ///
  /// It must not refer to the workspace: subscribers keep it, and the workspace keeps them.
  var noteReport: @Sendable (DictionaryPath) -> Bool { get }

  /// Tells the error handler, once the calling thread holds nothing that the handler may wait for.
  func report(_ error: DictionaryError)

  /// Adds a subscriber, and tells it the value that its key has. If the workspace has been shut down, the subscriber ends.
  func add(_ subscriber: DictionarySubscriber) -> DictionarySubscription
}

extension EngineDictionary {
  package func _subscribe(
    _ key: String, changeHandler: @escaping @Sendable (_ value: StoredDictionaryValue?) -> DictionaryError.Reason?,
    endHandler: @escaping @Sendable () -> Void
  ) -> any WorkspaceSubscription {
    let (path, reporter, noteReport) = (DictionaryPath(key, in: name), reporter, noteReport)
    return add(
      DictionarySubscriber(path) { value in
        guard let reason = changeHandler(value), noteReport(path) else { return }
        reporter.report(DictionaryError(key: path.key.text, namespace: path.namespace.text, reason))
      } finish: {
        endHandler()
      })
  }

  package func _report(_ reason: DictionaryError.Reason, forKey key: String) {
    if case .unreadable = reason, !noteReport(DictionaryPath(key, in: name)) { return }
    report(DictionaryError(key: key, namespace: name.text, reason))
  }
}
