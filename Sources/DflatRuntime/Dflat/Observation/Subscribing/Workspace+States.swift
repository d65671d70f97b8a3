extension Workspace {
  /// Returns the states of a result as an asynchronous sequence. It ends when the iterating task is cancelled or the
  /// workspace is shut down.
  ///
  /// ```swift
  /// for await posts in workspace.subscribe(fetchedResult: posts, startingWithCurrent: true) { show(posts) }
  /// ```
  ///
  /// See also: Documentation/observing.md (Asynchronous sequences).
  ///
  /// - Parameters:
  ///   - fetchedResult: a result that this workspace has fetched. Any other one stops the program.
  ///   - startingWithCurrent: whether `fetchedResult` itself is the first element. If it is out of date, the next one
  ///     follows at once.
  ///   - bufferingPolicy: which results are kept for a task that is slower than the commits; by default the latest
  ///     one.
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>, startingWithCurrent: Bool,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<FetchedResult<Element>> {
    let later = subscribe(fetchedResult: fetchedResult, bufferingPolicy: bufferingPolicy)
    return startingWithCurrent ? later.starting(with: fetchedResult) : later
  }

  /// Returns the states of an object as an asynchronous sequence. It ends when the object is deleted or not stored,
  /// when the iterating task is cancelled, or when the workspace is shut down.
  ///
  /// ```swift
  /// for await post in workspace.subscribe(object: post, startingWithCurrent: true) { show(post) }
  /// ```
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - startingWithCurrent: whether `object` itself is the first element. If it is out of date, the next one
  ///     follows at once.
  ///   - bufferingPolicy: which states are kept for a task that is slower than the commits; by default the latest
  ///     one.
  public func subscribe<Element: Atom & Equatable>(
    object: Element, startingWithCurrent: Bool,
    bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Element> {
    let later = subscribe(object: object, bufferingPolicy: bufferingPolicy)
    return startingWithCurrent ? later.starting(with: object) : later
  }
}

extension AsyncStream where Element: Sendable {
  /// Returns the sequence with `first` before its own elements. `first` does not count for the buffering policy.
  fileprivate func starting(with first: Element) -> AsyncStream {
    let first = TakenOnce(first)
    return AsyncStream {
      if let first = await first.take() { return first }
      // Each call makes an iterator, which continues where the last one stopped.
      var later = self.makeAsyncIterator()
      return await later.next()
    }
  }
}

/// A value that the first caller of `take()` gets; later callers get nil.
private actor TakenOnce<Value: Sendable> {
  private var value: Value?

  init(_ value: Value) { self.value = value }

  func take() -> Value? {
    defer { value = nil }
    return value
  }
}
