import Dflat

/// A namespace of a workspace's dictionary, as an engine implements it: how keys are read, set and written. An
/// extension reports errors and tells subscribers, alike for all engines.
package protocol EngineDictionary: WorkspaceDictionary {
  var name: DictionaryKey { get }

  /// Calls the error handler, once the calling thread holds nothing that the handler may wait for.
  ///
  /// The closure must not refer to the workspace: subscribers own it, and the workspace owns them.
  var reportForSubscriber: @Sendable (any Error) -> Void { get }

  /// Records that a key's value was reported as unreadable. Returns false if it was reported before.
  ///
  /// The closure must not refer to the workspace: subscribers own it, and the workspace owns them.
  var noteReport: @Sendable (DictionaryPath) -> Bool { get }

  /// Calls the error handler, once the calling thread holds nothing that the handler may wait for.
  func report(_ error: DictionaryError)

  /// Adds a subscriber, and tells it the current value of its key. If the workspace has been shut down, it ends the
  /// subscriber.
  func add(_ subscriber: DictionarySubscriber) -> DictionarySubscription
}

extension EngineDictionary {
  package func _subscribe(
    _ key: String, changeHandler: @escaping @Sendable (_ value: StoredDictionaryValue?) -> DictionaryError.Reason?,
    endHandler: @escaping @Sendable () -> Void
  ) -> any WorkspaceSubscription {
    let (path, report, noteReport) = (DictionaryPath(key, in: name), reportForSubscriber, noteReport)
    return add(
      DictionarySubscriber(path) { value in
        guard let reason = changeHandler(value), noteReport(path) else { return }
        report(DictionaryError(key: path.key.text, namespace: path.namespace.text, reason))
      } finish: {
        endHandler()
      })
  }

  package func _report(_ reason: DictionaryError.Reason, forKey key: String) {
    if case .unreadable = reason, !noteReport(DictionaryPath(key, in: name)) { return }
    report(DictionaryError(key: key, namespace: name.text, reason))
  }
}
