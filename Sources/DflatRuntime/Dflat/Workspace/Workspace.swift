/// What else a shutdown does.
public struct WorkspaceShutdownFlag: OptionSet, Sendable {
  /// The flags as bits.
  public let rawValue: Int

  /// Flags from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Leaves the store as one file, fit to be moved or shipped.
  public static let truncate = WorkspaceShutdownFlag(rawValue: 1 << 0)
  /// Gives the space of deleted objects back to the file system.
  public static let vacuum = WorkspaceShutdownFlag(rawValue: 1 << 1)
}

/// A store of objects: fetches on any thread, changes in transactions.
public protocol Workspace: Queryable, Sendable {
  /// What else a shutdown does, by its name in Dflat 0.6.
  typealias ShutdownFlag = WorkspaceShutdownFlag
  /// The closure of a transaction.
  typealias ChangesHandler = (_ transactionContext: any TransactionContext) -> Void
  /// What is told whether a transaction's changes are stored.
  typealias CompletionHandler = (_ success: Bool) -> Void

  /// Closes the store. Transactions begun before it finish; later ones complete with `false`, later fetches return
  /// nothing. It may be called again.
  ///
  /// - Parameters:
  ///   - flags: what else to do.
  ///   - completion: called on a background queue when all is closed. Without one, this call waits until then; so it
  ///     must not be made inside a transaction or a snapshot of the same workspace. On a serial target queue, it cannot wait for what
  ///     is to run there: then it returns before, and the error handler is told by a `DeferredShutdown`.
  func shutdown(flags: WorkspaceShutdownFlag, completion: sending (() -> Void)?)

  /// Closes the store and returns when all is closed.
  func shutdown(flags: WorkspaceShutdownFlag) async

  /// Runs `changesHandler` as a transaction, on a background queue.
  ///
  /// Transactions that share a type run in the order of these calls; all of a transaction's changes are stored or none.
  ///
  /// - Parameters:
  ///   - transactionalObjectTypes: the types that the transaction may change.
  ///   - changesHandler: submits change requests.
  ///   - completionHandler: called on a background queue with whether the changes are stored.
  func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void,
    completionHandler: sending ((_ success: Bool) -> Void)?)

  /// Runs `changesHandler` as a transaction and returns whether its changes are stored.
  @discardableResult
  func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void
  ) async -> Bool

  /// Runs `changesHandler` as a transaction and returns its value once the changes are stored.
  ///
  /// When the closure throws, the transaction is aborted. A closure that throws nothing, and is a single expression, is
  /// taken for one of the form that returns a `Bool`, unless the type of the result says otherwise.
  ///
  /// - Throws: what the closure throws; or else the `TransactionError` because of which nothing has been stored:
  ///   `.aborted` after `abort()`, `.diskFull`, and `.others`, also after a shutdown. The error handler knows more.
  @_disfavoredOverload
  @discardableResult
  func performChanges<Value: Sendable>(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) throws -> Value
  ) async throws -> Value

  /// Values by keys that are persisted and cached in memory.
  var dictionary: any WorkspaceDictionary { get }

  /// A subscription to an object, a result or a key.
  typealias Subscription = WorkspaceSubscription

  /// Calls `changeHandler` with each later state of a result: after every commit that changes it, in the order of the commits,
  /// and before the completion handlers of these. A result that is out of date is brought up to date first.
  ///
  /// Updates are computed from the objects that have changed. Each carries how it differs from the one before; see
  /// `FetchedResult.difference`. The handler is called on a background queue, one call after another; while it runs, updates
  /// wait, the latest 1,024 at most.
  ///
  /// - Parameters:
  ///   - fetchedResult: a result that was fetched from this workspace.
  ///   - changeHandler: called with the new result.
  /// - Returns: the subscription, which is cancelled when it is released.
  func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    changeHandler: @escaping @Sendable (_ fetchedResult: FetchedResult<Element>) -> Void
  ) -> any WorkspaceSubscription

  /// Calls `changeHandler` with each later state of an object, as for a result, until it is deleted. An object that is not
  /// stored counts as deleted.
  ///
  /// - Returns: the subscription, which is cancelled when it is released.
  func subscribe<Element: Atom & Equatable>(
    object: Element, changeHandler: @escaping @Sendable (_ subscribedObject: SubscribedObject<Element>) -> Void
  ) -> any WorkspaceSubscription

  /// The later states of a result, as an asynchronous sequence, which ends when the workspace is shut down.
  ///
  /// - Parameters:
  ///   - fetchedResult: the result, which this workspace has fetched.
  ///   - bufferingPolicy: which results are kept for a task that does not take them; the latest one, unless told. The
  ///     difference of a result is that from the one that was taken before it.
  func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy
  ) -> AsyncStream<FetchedResult<Element>>

  /// The later states of an object, as an asynchronous sequence, which ends when the object is deleted, or the workspace shut
  /// down.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - bufferingPolicy: which objects are kept for a task that does not take them; the latest one, unless told.
  func subscribe<Element: Atom & Equatable>(
    object: Element, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
  ) -> AsyncStream<Element>

  /// Calls `handler` after each fetch and count, with how it was answered and how long it took.
  ///
  /// ```swift
  /// let subscription = workspace.onQuery { event in
  ///   if event.duration > .milliseconds(50) { print(event) }
  /// }
  /// ```
  ///
  /// The handler is called on a background queue, one call after another, in the order in which the queries ended; the caller of a
  /// query never waits for it. While it runs, the latest 1,024 events wait; `QueryEvent.skippedCount` counts those that were left out.
  /// It may fetch and change objects: what it does itself, or a task made in it, is not told to any handler. What the store reads for
  /// subscribers of results is not told either. Without a handler, a query costs a look at a flag.
  ///
  /// - Returns: the subscription, which is cancelled when it is released.
  func onQuery(_ handler: @escaping @Sendable (_ event: QueryEvent) -> Void) -> any WorkspaceSubscription

  /// Calls `handler` after each transaction that was asked for since, with what it has changed, how it ended, and what it spent its
  /// time on.
  ///
  /// The handler is called on a background queue, as that of `onQuery(_:)` is, in the order in which the transactions ended; before or
  /// after their completion handlers. Transactions that the handler makes itself are not told. Values of `dictionary` that are set
  /// outside of transactions are none.
  ///
  /// - Returns: the subscription, which is cancelled when it is released.
  func onTransaction(
    _ handler: @escaping @Sendable (_ event: TransactionEvent) -> Void
  ) -> any WorkspaceSubscription
}

extension Workspace {
  /// The later states of a result, as an asynchronous sequence: the latest one that was not taken yet.
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>
  ) -> AsyncStream<FetchedResult<Element>> {
    subscribe(fetchedResult: fetchedResult, bufferingPolicy: .bufferingNewest(1))
  }

  /// The later states of an object, as an asynchronous sequence: the latest one that was not taken yet.
  public func subscribe<Element: Atom & Equatable>(object: Element) -> AsyncStream<Element> {
    subscribe(object: object, bufferingPolicy: .bufferingNewest(1))
  }

  /// Closes the store, and waits until all is closed.
  public func shutdown() {
    shutdown(flags: [], completion: nil)
  }

  /// Closes the store as `flags` say, and waits until all is closed.
  public func shutdown(flags: WorkspaceShutdownFlag) {
    shutdown(flags: flags, completion: nil)
  }

  /// Closes the store and calls `completion` on a background queue when all is closed. Without one, this call waits until
  /// then.
  public func shutdown(completion: sending (() -> Void)?) {
    shutdown(flags: [], completion: completion)
  }

  /// Closes the store and returns when all is closed.
  public func shutdown() async {
    await shutdown(flags: [])
  }

  /// Runs `changesHandler` as a transaction, on a background queue.
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

  /// Runs `changesHandler` as a transaction and returns its value once the changes are stored: for workspaces that do not
  /// do so themselves. Why nothing has been stored is not known here: it is `.others`, unless the closure throws.
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
