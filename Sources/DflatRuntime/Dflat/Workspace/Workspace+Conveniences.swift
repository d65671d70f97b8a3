// Shorter forms of the requirements of `Workspace`.

extension Workspace {
  /// Returns the later states of a result as an asynchronous sequence. A slow task gets the latest state only.
  ///
  /// ```swift
  /// let urgent = workspace.fetch(for: Post.self).where(Post.priority > 2)
  /// for await posts in workspace.subscribe(fetchedResult: urgent) {
  ///   try await send("\(posts.count) urgent posts")
  /// }
  /// ```
  ///
  /// The sequence ends when the task is cancelled or the workspace is shut down. The call itself may fetch the result
  /// once more, on the calling thread. A result that another workspace has fetched stops the program.
  ///
  /// See also: Documentation/observing.md (Asynchronous sequences).
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>
  ) -> AsyncStream<FetchedResult<Element>> {
    subscribe(fetchedResult: fetchedResult, bufferingPolicy: .bufferingNewest(1))
  }

  /// Returns the later states of an object as an asynchronous sequence. A slow task gets the latest state only.
  ///
  /// ```swift
  /// for await post in workspace.subscribe(object: post) { print("now \(post.priority)") }
  /// ```
  ///
  /// If the object is out of date, the sequence begins with its current state. It ends when the object is deleted or
  /// not stored, when the task is cancelled, or when the workspace is shut down.
  public func subscribe<Element: Atom & Equatable>(object: Element) -> AsyncStream<Element> {
    subscribe(object: object, bufferingPolicy: .bufferingNewest(1))
  }

  /// Closes the store, and waits until it is closed. A call inside a transaction or a snapshot of the workspace stops
  /// the program.
  public func shutdown() {
    shutdown(flags: [], completion: nil)
  }

  /// Closes the store as `flags` say, and waits until it is closed. A call inside a transaction or a snapshot of the
  /// workspace stops the program.
  public func shutdown(flags: WorkspaceShutdownFlag) {
    shutdown(flags: flags, completion: nil)
  }

  /// Closes the store, and calls `completion` on another thread when it is closed. If `completion` is nil, this
  /// call waits until then, and inside a transaction or a snapshot of the workspace it stops the program.
  public func shutdown(completion: sending (() -> Void)?) {
    shutdown(flags: [], completion: completion)
  }

  /// Closes the store, and returns when it is closed. While it waits, it blocks no thread.
  public func shutdown() async {
    await shutdown(flags: [])
  }

  /// Starts `changesHandler` as a transaction on a background queue, and returns at once.
  ///
  /// ```swift
  /// func save(_ post: Post) {
  ///   workspace.performChanges([Post.self]) { transaction in
  ///     transaction.try(submit: PostChangeRequest.upsertRequest(post))
  ///   }
  /// }
  /// ```
  ///
  /// In asynchronous code, call the form that waits, with `await`.
  @available(
    *, noasync,
    message: """
      This form does not wait for the transaction. The top level of a program takes it even after `await`: call it in an \
      async function, such as `static func main() async` of a type with @main, or write \
      `let isStored: Bool = await workspace.performChanges(...)`.
      """
  )
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void
  ) {
    performChanges(transactionalObjectTypes, changesHandler: changesHandler, completionHandler: nil)
  }

  /// Runs `changesHandler` as a transaction, and returns its value once the changes are stored.
  ///
  /// This is the form of workspaces that do not implement it themselves. It does not know why nothing was stored: it
  /// throws `.others`, unless the closure has thrown an error.
  @_disfavoredOverload
  @discardableResult
  public func performChanges<Value: Sendable>(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) throws -> Value
  ) async throws -> Value {
    let attempt = TransactionAttempt(changesHandler)
    let success = await performChanges(transactionalObjectTypes, changesHandler: { attempt.run(in: $0) })
    return try attempt.outcome(failure: success ? nil : .others)
  }
}
