/// Options of a shutdown: what to do with the store's file when it is closed.
///
/// ```swift
/// await workspace.shutdown(flags: [.vacuum, .truncate])  // One small file, to be shipped with an app.
/// ```
///
/// A `PostgresWorkspace` ignores them.
///
/// See also: Documentation/using-the-store.md (Closing).
public struct WorkspaceShutdownFlag: OptionSet, Sendable {
  /// The flags as bits.
  public let rawValue: Int

  /// Creates flags from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Leaves the store as one file, fit to be moved or shipped.
  public static let truncate = WorkspaceShutdownFlag(rawValue: 1 << 0)
  /// Returns the space of deleted objects to the file system.
  public static let vacuum = WorkspaceShutdownFlag(rawValue: 1 << 1)
}

/// A store of objects: fetches on any thread, changes in transactions.
///
/// ```swift
/// await workspace.performChanges([Post.self]) { transaction in
///   transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "Hello", priority: 3)))
/// }
/// let urgent = workspace.fetch(for: Post.self).where(Post.priority > 2, orderBy: Post.priority.descending)
/// let subscription = workspace.subscribe(fetchedResult: urgent) { posts in print(posts.map(\.title)) }
/// ```
///
/// A `SQLiteWorkspace` stores objects in a file, a `PostgresWorkspace` in a database. Any thread may use a workspace,
/// so that an app makes one and shares it. Objects and results are immutable: they do not follow the store, unless a
/// subscription gives you later ones.
///
/// See also: ``Queryable``, ``TransactionContext``, ``WorkspaceDictionary``, Documentation/using-the-store.md,
/// Documentation/concurrency.md, Documentation/observing.md.
public protocol Workspace: Queryable, Sendable {
  /// The options of a shutdown, by their name in Dflat 0.6.
  typealias ShutdownFlag = WorkspaceShutdownFlag
  /// The closure of a transaction.
  typealias ChangesHandler = (_ transactionContext: any TransactionContext) -> Void
  /// The handler that is called with whether a transaction's changes are stored.
  typealias CompletionHandler = (_ success: Bool) -> Void

  /// Closes the store, and waits until it is closed unless there is a completion handler.
  ///
  /// ```swift
  /// workspace.shutdown(flags: .truncate) { print("closed") }
  /// ```
  ///
  /// Transactions begun before the call finish. Later ones complete with `false`, and later fetches return nothing.
  /// Subscriptions are told nothing more, and asynchronous sequences end. The values that were set in the dictionary
  /// are written. The method may be called again.
  ///
  /// Without a completion handler, the call must not be made inside a transaction or a snapshot of the same
  /// workspace: that stops the program. On a serial target queue it cannot wait for transactions and handlers that
  /// are to run there. It then returns before the store is closed, and the error handler gets a ``DeferredShutdown``.
  ///
  /// Completion handlers, subscribers and handlers of events may make the call, also several at a time: none waits for
  /// another one that is in the call. In the error handler, the call returns at once, and the store is closed in the
  /// background. But a completion handler must not wait for a shutdown that another thread makes: that one waits until
  /// the handler has returned.
  ///
  /// See also: Documentation/using-the-store.md (Closing).
  ///
  /// - Parameters:
  ///   - flags: what to do with the file.
  ///   - completion: called on another thread when the store is closed.
  func shutdown(flags: WorkspaceShutdownFlag, completion: sending (() -> Void)?)

  /// Closes the store, and returns when it is closed. While it waits, it blocks no thread.
  ///
  /// ```swift
  /// await workspace.shutdown(flags: .truncate)
  /// ```
  ///
  /// Transactions begun before the call finish. Later ones complete with `false`, and later fetches return nothing.
  ///
  /// See also: Documentation/using-the-store.md (Closing).
  ///
  /// - Parameter flags: what to do with the file.
  func shutdown(flags: WorkspaceShutdownFlag) async

  /// Runs `changesHandler` as a transaction on a background queue, and returns at once.
  ///
  /// ```swift
  /// workspace.performChanges([Post.self]) { transaction in
  ///   transaction.try(submit: PostChangeRequest.upsertRequest(post))
  /// } completionHandler: { isStored in
  ///   print(isStored)
  /// }
  /// ```
  ///
  /// All changes of a transaction are stored, or none. Transactions that share a type run one after another, in the
  /// order of these calls; others run side by side. A fetch in the closure sees what the closure has submitted. On
  /// PostgreSQL, the closure runs again if its transaction is in conflict with another one.
  ///
  /// On SQLite, do not wait in the closure for other transactions, the network or a person after it has submitted
  /// something: it may be the only one that can commit. Documentation/concurrency.md says when.
  ///
  /// Any thread may make the call. In a task, call the form that waits instead. Changes that belong together cost least
  /// in one transaction, which is one commit.
  ///
  /// See also: ``TransactionContext``, ``ChangeRequest``, Documentation/using-the-store.md (Writing),
  /// Documentation/concurrency.md.
  ///
  /// - Parameters:
  ///   - transactionalObjectTypes: the types of the objects that the closure changes. To submit a change of another
  ///     type stops the program.
  ///   - changesHandler: the closure that submits change requests. It must not use the context after it has returned.
  ///   - completionHandler: called on a background queue with whether the changes are stored. If they are not, the
  ///     error handler has been told why, unless the transaction was aborted. After `true`,
  ///     later fetches on every thread see the changes.
  func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void,
    completionHandler: sending ((_ success: Bool) -> Void)?)

  /// Runs `changesHandler` as a transaction, and returns whether its changes are stored.
  ///
  /// ```swift
  /// let isStored = await workspace.performChanges([Post.self]) { transaction in
  ///   transaction.try(submit: PostChangeRequest.upsertRequest(post))
  /// }
  /// ```
  ///
  /// If the changes are not stored, the error handler has been told why, unless the transaction was aborted. To get the
  /// error itself, or a value of the closure, call the form that throws.
  ///
  /// The closure runs on a background queue, and the waiting task blocks no thread. If the task is cancelled before the
  /// closure has begun, the closure does not run; later, cancelling has no effect. See
  /// `performChanges(_:changesHandler:completionHandler:)` for the order of transactions.
  ///
  /// See also: Documentation/using-the-store.md (Writing), Documentation/concurrency.md.
  ///
  /// - Parameters:
  ///   - transactionalObjectTypes: the types of the objects that the closure changes. To submit a change of another
  ///     type stops the program.
  ///   - changesHandler: the closure that submits change requests.
  /// - Returns: whether the changes are stored; false also if the task was cancelled before the closure had begun.
  @discardableResult
  func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void
  ) async -> Bool

  /// Runs `changesHandler` as a transaction, and returns its value once the changes are stored.
  ///
  /// ```swift
  /// let count = try await workspace.performChanges([Post.self]) { transaction in
  ///   try transaction.submit(PostChangeRequest.creationRequest(Post(title: "First")))
  ///   return workspace.fetch(for: Post.self).count()
  /// }
  /// ```
  ///
  /// If the closure throws, the transaction is aborted. Swift takes a closure that throws nothing and is a single
  /// expression for one of the form that returns a `Bool`, unless the type of the result says otherwise.
  ///
  /// The closure runs on a background queue, and the waiting task blocks no thread. On PostgreSQL, the value is that of
  /// the closure's last run.
  ///
  /// See also: ``TransactionError``, Documentation/using-the-store.md (Errors), Documentation/concurrency.md (Get
  /// values out of a closure).
  ///
  /// - Parameters:
  ///   - transactionalObjectTypes: the types of the objects that the closure changes. To submit a change of another
  ///     type stops the program.
  ///   - changesHandler: the closure that submits change requests, and may throw.
  /// - Returns: the value of the closure.
  /// - Throws: the closure's error, or the ``TransactionError`` that kept the changes from being stored: `.aborted`
  ///   after `abort()`, `.diskFull`, and `.others`, also after a shutdown. `CancellationError` if the task was
  ///   cancelled before the closure had begun.
  @_disfavoredOverload
  @discardableResult
  func performChanges<Value: Sendable>(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) throws -> Value
  ) async throws -> Value

  /// The workspace's dictionary: values by key, persisted.
  ///
  /// ```swift
  /// workspace.dictionary["launches", default: 0] += 1
  /// ```
  ///
  /// Any thread may use it. To change keys together with objects, use ``TransactionContext/dictionary``.
  ///
  /// See also: ``WorkspaceDictionary``, Documentation/dictionary.md.
  var dictionary: any WorkspaceDictionary { get }

  /// A subscription to an object, a result or a key.
  typealias Subscription = WorkspaceSubscription

  /// Calls `changeHandler` with the new result after every commit that changes it.
  ///
  /// ```swift
  /// let urgent = workspace.fetch(for: Post.self).where(Post.priority > 2, orderBy: Post.priority.descending)
  /// subscription = workspace.subscribe(fetchedResult: urgent) { posts in
  ///   print(posts.map(\.title))
  /// }
  /// ```
  ///
  /// Keep the subscription: it is cancelled when nothing refers to it any more.
  ///
  /// Updates come in the order of the commits, and before the completion handlers of their transactions. If
  /// `fetchedResult` is out of date, the first update follows at once. Each update carries its difference from the
  /// one before: see `FetchedResult.difference`.
  ///
  /// The handler is called on a background queue, one call after another. While it runs, the latest 1,024 updates
  /// wait. A commit by this workspace changes the result where its objects have changed, without another fetch. After
  /// a commit of another process the result is fetched again.
  ///
  /// Any thread may make the call. It may take as long as the fetch: the first subscriber to a query fetches the result
  /// once more, on the calling thread, unless nothing was committed since. Subscribers to equal queries share one
  /// result.
  ///
  /// See also: ``LiveResult`` for SwiftUI, ``ResultDifference`` for list views, Documentation/observing.md.
  ///
  /// - Parameters:
  ///   - fetchedResult: a result that this workspace has fetched. Any other one stops the program.
  ///   - changeHandler: called with the new result.
  /// - Returns: the subscription.
  func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    changeHandler: @escaping @Sendable (_ fetchedResult: FetchedResult<Element>) -> Void
  ) -> any WorkspaceSubscription

  /// Calls `changeHandler` with the new object after every commit that changes it, until it is deleted.
  ///
  /// ```swift
  /// subscription = workspace.subscribe(object: post) { change in
  ///   switch change {
  ///   case .updated(let post): print("now \(post.priority)")
  ///   case .deleted: print("deleted")
  ///   }
  /// }
  /// ```
  ///
  /// Keep the subscription: it is cancelled when nothing refers to it any more. An object that is not stored counts
  /// as deleted. The order and threads of the calls are those of `subscribe(fetchedResult:changeHandler:)`.
  ///
  /// If the object's row may have changed since the object was fetched, the call reads the row, on the calling thread. If
  /// that fails, the workspace's error handler is called, and the row is read again after a pause.
  ///
  /// See also: ``SubscribedObject``, Documentation/observing.md (Callbacks).
  ///
  /// - Parameters:
  ///   - object: an object of this workspace.
  ///   - changeHandler: called with the new state, or the deletion.
  /// - Returns: the subscription.
  func subscribe<Element: Atom & Equatable>(
    object: Element, changeHandler: @escaping @Sendable (_ subscribedObject: SubscribedObject<Element>) -> Void
  ) -> any WorkspaceSubscription

  /// Returns the later states of a result as an asynchronous sequence. It ends when the iterating task is cancelled or
  /// the workspace is shut down.
  ///
  /// ```swift
  /// for await posts in workspace.subscribe(fetchedResult: posts, bufferingPolicy: .unbounded) {
  ///   try await send("\(posts.difference?.insertions.count ?? 0) new posts")
  /// }
  /// ```
  ///
  /// The `FetchedResult.difference` of each result is that from the one that the task took before it. Under any policy,
  /// some states between two commits are not told: the sequence is no log of all commits.
  ///
  /// See also: Documentation/observing.md (A server with many clients).
  ///
  /// - Parameters:
  ///   - fetchedResult: a result that this workspace has fetched. Any other one stops the program.
  ///   - bufferingPolicy: which results are kept for a task that is slower than the commits.
  func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy
  ) -> AsyncStream<FetchedResult<Element>>

  /// Returns the later states of an object as an asynchronous sequence.
  ///
  /// If the object is out of date, the sequence begins with its current state. It ends when the object is deleted or
  /// not stored, when the iterating task is cancelled, or when the workspace is shut down.
  ///
  /// ```swift
  /// for await post in workspace.subscribe(object: post, bufferingPolicy: .bufferingNewest(10)) { show(post) }
  /// print("deleted, or shut down")
  /// ```
  ///
  /// See also: Documentation/observing.md (Asynchronous sequences).
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - bufferingPolicy: which states are kept for a task that is slower than the commits.
  func subscribe<Element: Atom & Equatable>(
    object: Element, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
  ) -> AsyncStream<Element>

  /// Calls `handler` after each fetch and count, with how it was answered and how long it took.
  ///
  /// ```swift
  /// let slow = workspace.onQuery { event in
  ///   if event.duration > .milliseconds(50) { print(event, event.statement) }
  /// }
  /// ```
  ///
  /// The handler is called on a background queue, one call after another, in the order in which the queries ended. No
  /// query waits for it. While it runs, the latest 1,024 events wait; `QueryEvent.skippedCount` counts those that
  /// were left out.
  ///
  /// The handler may fetch and change objects: fetches and changes that it makes, or that a task made in it makes,
  /// cause no events. Reads of the store for subscribers of results cause none, either. Without a handler, a query
  /// costs the reading of a flag.
  ///
  /// See also: ``QueryEvent``, ``QueryPlan``, Documentation/seeing-what-the-store-does.md.
  ///
  /// - Returns: the subscription, which is cancelled when it is released.
  func onQuery(_ handler: @escaping @Sendable (_ event: QueryEvent) -> Void) -> any WorkspaceSubscription

  /// Calls `handler` after each transaction that is begun after this call, with its changes, its outcome and its
  /// times.
  ///
  /// ```swift
  /// let failed = workspace.onTransaction { event in
  ///   if event.outcome == .failed { print(event) }
  /// }
  /// ```
  ///
  /// The handler is called on a background queue, one call after another, in the order in which the transactions ended.
  /// That may be before or after their completion handlers. Transactions that the handler itself makes cause no events,
  /// and neither does setting values of `dictionary` outside of transactions.
  ///
  /// See also: ``TransactionEvent``, Documentation/seeing-what-the-store-does.md (Transactions).
  ///
  /// - Returns: the subscription, which is cancelled when it is released.
  func onTransaction(
    _ handler: @escaping @Sendable (_ event: TransactionEvent) -> Void
  ) -> any WorkspaceSubscription
}
