extension Workspace {
  /// The states of a result, as an asynchronous sequence, which ends when the workspace is shut down.
  ///
  /// ```swift
  /// for await posts in workspace.subscribe(fetchedResult: urgent, startingWithCurrent: true) { show(posts) }
  /// ```
  ///
  /// - Parameters:
  ///   - fetchedResult: the result, which this workspace has fetched.
  ///   - startingWithCurrent: whether `fetchedResult` itself is the first element. If it is out of date, the next one follows at once.
  ///   - bufferingPolicy: which results are kept for a task that does not take them; the latest one, unless told.
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>, startingWithCurrent: Bool,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<FetchedResult<Element>> {
    let later = subscribe(fetchedResult: fetchedResult, bufferingPolicy: bufferingPolicy)
    return startingWithCurrent ? later.starting(with: fetchedResult) : later
  }

  /// The states of an object, as an asynchronous sequence, which ends when the object is deleted, or the workspace shut down.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - startingWithCurrent: whether `object` itself is the first element. If it is out of date, the next one follows at once.
  ///   - bufferingPolicy: which objects are kept for a task that does not take them; the latest one, unless told.
  public func subscribe<Element: Atom & Equatable>(
    object: Element, startingWithCurrent: Bool,
    bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Element> {
    let later = subscribe(object: object, bufferingPolicy: bufferingPolicy)
    return startingWithCurrent ? later.starting(with: object) : later
  }
}

extension AsyncStream where Element: Sendable {
  /// The sequence with an element before its first one. What it keeps for a task is not limited by that.
  fileprivate func starting(with first: Element) -> AsyncStream {
    let first = TakenOnce(first)
    return AsyncStream {
      if let first = await first.take() { return first }
      // Each iterator goes on where the one before has stopped.
      var later = self.makeAsyncIterator()
      return await later.next()
    }
  }
}

/// A value that the first caller gets.
private actor TakenOnce<Value: Sendable> {
  private var value: Value?

  init(_ value: Value) { self.value = value }

  func take() -> Value? {
    defer { value = nil }
    return value
  }
}
