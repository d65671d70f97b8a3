/// A source of stored objects, such as a workspace.
///
/// ```swift
/// func titles(in source: some Queryable) -> [String] { source.fetch(for: Post.self).all().map(\.title) }
/// ```
///
/// Name it in code that fetches and does not write, or observe.
///
/// See also: ``Workspace``, ``QueryBuilder``.
public protocol Queryable {
  /// Returns the fetches of objects of a type: call `where`, `all`, `first`, `count` or `exists` on it, on any
  /// thread.
  ///
  /// ```swift
  /// let urgent = workspace.fetch(for: Post.self).where(Post.priority > 2)
  /// ```
  ///
  /// The call itself reads nothing. What it returns may be kept, and used by several threads and tasks.
  ///
  /// See also: ``QueryBuilder``, Documentation/using-the-store.md (Queries).
  ///
  /// - Parameter ofType: the class of the objects. In a transaction it may be one that the transaction has not named;
  ///   other transactions may then change its objects meanwhile.
  func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element>

  /// Runs `closure` on the calling thread. Every fetch that it makes on this thread reads the same commit version,
  /// even if other transactions commit meanwhile.
  ///
  /// ```swift
  /// let isConsistent = workspace.fetchWithinASnapshot {
  ///   let posts = workspace.fetch(for: Post.self).all()
  ///   return workspace.fetch(for: Post.self).count() == posts.count
  /// }
  /// ```
  ///
  /// Snapshots can be nested: the outermost one determines the commit version. Keep them short: while one is open,
  /// SQLite's log grows, and a `PostgresWorkspace` has one connection less. On SQLite, no transaction and no other
  /// fetch waits for it. Tasks and threads that the closure starts are not in the snapshot.
  ///
  /// If the snapshot cannot be taken, each fetch in it fails. The form for closures that throw then throws the error of
  /// the first fetch that failed, even if the closure calls only methods that do not throw.
  ///
  /// See also: Documentation/using-the-store.md (Snapshots), Documentation/concurrency.md (Take a snapshot for several
  /// fetches).
  ///
  /// - Parameter closure: the closure. It runs once.
  /// - Returns: the value of the closure.
  func fetchWithinASnapshot<T>(_ closure: () -> T) -> T

  /// Runs `closure`, which may throw, on the calling thread. Every fetch that it makes on this thread reads the same
  /// commit version.
  ///
  /// ```swift
  /// let total = try workspace.fetchWithinASnapshot { () throws in
  ///   workspace.fetch(for: Post.self).all().reduce(0) { $0 + Int($1.priority) }
  /// }
  /// ```
  ///
  /// If the call returns, the closure's value was read completely, even if it fetches by methods that do not throw. To
  /// get this form for a closure in which nothing throws, begin it with `() throws in`.
  ///
  /// See also: Documentation/using-the-store.md (Snapshots).
  ///
  /// - Parameter closure: the closure. It runs once.
  /// - Returns: the value of the closure.
  /// - Throws: the closure's error, or else the `StoreError` of the first fetch in it that failed.
  @_disfavoredOverload
  func fetchWithinASnapshot<T>(_ closure: () throws -> T) throws -> T
}

extension Queryable {
  /// Runs `closure` by the form for closures that do not throw: the default for sources that implement no other. It
  /// throws only the closure's error.
  @_disfavoredOverload
  public func fetchWithinASnapshot<T>(_ closure: () throws -> T) throws -> T {
    try fetchWithinASnapshot({ () -> Result<T, any Error> in Result { try closure() } }).get()
  }
}
