import Foundation
import Observation

/// The result of a query that stays up to date, for SwiftUI and other clients of the Observation framework.
///
/// ```swift
/// import SwiftUI
///
/// struct UrgentPosts: View {
///   /// `LiveResult(Post.self, in: workspace, where: Post.priority > 2, orderBy: Post.priority.descending)`
///   let posts: LiveResult<Post>
///
///   var body: some View {
///     List(posts.elements) { post in Text("\(post.title): \(post.priority)") }
///   }
/// }
/// ```
///
/// Make it where the workspace is made, in the app or its model, and hand it to the views: each one fetches.
///
/// The result is fetched in the background. From then on, `elements` changes on the main actor after every commit
/// that changes the result, in the order of the commits. While the main actor is busy, only the latest result waits.
///
/// The updates stop when the `LiveResult` is released or cancelled, or the workspace is shut down. Until then it
/// keeps a reference to the workspace.
///
/// A commit costs what it costs for any subscriber to the query; views of equal queries share the result. For code
/// without a user interface, use `subscribe(fetchedResult:)` of a ``Workspace``.
///
/// See also: ``FetchedResult``, ``LiveDictionaryValue``, Documentation/observing.md (`LiveResult` in SwiftUI).
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class LiveResult<Element: Atom & Equatable> {
  // Not observable by the macro, whose setter would compare all objects.
  @ObservationIgnored private var result = FetchedResult<Element>()
  @ObservationIgnored private var task: Task<Void, Never>?

  /// The latest result; empty until the first fetch has ended.
  ///
  /// Its `difference` is that from the value before; nil for the first result.
  public var elements: FetchedResult<Element> {
    access(keyPath: \.elements)
    return result
  }

  /// Whether the first fetch has not ended yet.
  public private(set) var isLoading = true

  /// The `StoreError` of the first fetch; nil if it has not failed, or a result has come since. After a shutdown it
  /// is `StoreError.shutDown`.
  public private(set) var lastError: (any Error)?

  /// Fetches objects in the background, and observes them from then on.
  ///
  /// ```swift
  /// let urgent = LiveResult(
  ///   Post.self, in: workspace, where: Post.priority > 2, limit: 50, orderBy: [Post.priority.descending])
  /// ```
  ///
  /// The call returns at once. Until the first fetch has ended, `isLoading` is true; if it fails, `lastError` has the
  /// reason.
  ///
  /// - Parameters:
  ///   - type: the type of the objects.
  ///   - workspace: the store to fetch from.
  ///   - query: the condition; nil for all objects.
  ///   - limit: the maximum number of objects.
  ///   - orderBy: the keys of the order, as in a fetch.
  public init(
    _ type: Element.Type, in workspace: any Workspace, where query: QueryExpression<Bool, Element>? = nil,
    limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) {
    let request = FetchRequest(predicate: query?._node, limit: limit, orderBy: orderBy)
    // Neither the fetch nor the wait for updates keeps this object alive.
    task = Task { [weak self] in
      let updates: AsyncStream<FetchedResult<Element>>
      do {
        let loaded = await LiveResult.load(request, from: workspace)
        self?.show(loaded.result, lastError: loaded.error)
        updates = loaded.updates
      }
      for await result in updates { self?.show(result, lastError: nil) }
    }
  }

  /// Fetches objects in the background, ordered by one key, and observes them from then on.
  public convenience init(
    _ type: Element.Type, in workspace: any Workspace, where query: QueryExpression<Bool, Element>? = nil,
    limit: Limit = .noLimit, orderBy: OrderBy<Element>
  ) {
    self.init(type, in: workspace, where: query, limit: limit, orderBy: [orderBy])
  }

  deinit { task?.cancel() }

  /// Ends the updates; the elements stay as they are.
  public func cancel() {
    task?.cancel()
    if isLoading { isLoading = false }
  }

  private func show(_ result: FetchedResult<Element>, lastError error: (any Error)?) {
    // The object was cancelled while this call waited for the main actor.
    if Task.isCancelled { return }
    withMutation(keyPath: \.elements) { self.result = result }
    if lastError != nil || error != nil { lastError = error }
    if isLoading { isLoading = false }
  }

  private struct Loaded: Sendable {
    let result: FetchedResult<Element>
    let error: StoreError?
    /// The later results; only the latest one that was not taken is kept.
    let updates: AsyncStream<FetchedResult<Element>>
  }

  /// Fetches the result and subscribes to it, on a thread of Dispatch: threads of tasks must not block.
  private nonisolated static func load(_ request: FetchRequest, from workspace: any Workspace) async -> Loaded {
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async {
        let (result, error) = workspace.fetch(for: Element.self).observableResult(of: request)
        let updates = workspace.subscribe(fetchedResult: result)
        continuation.resume(returning: Loaded(result: result, error: error, updates: updates))
      }
    }
  }
}

// Before Swift 6.2, a type of the main actor cannot be a collection: use `elements` there.
#if compiler(>=6.2)
  /// The collection of the present elements, for use on the main actor.
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  extension LiveResult: @MainActor RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { elements.endIndex }
    /// The element at `position`.
    public subscript(position: Int) -> Element { elements[position] }

    /// Returns an iterator over the elements as they are now.
    public func makeIterator() -> FetchedResult<Element>.Iterator { elements.makeIterator() }
  }
#endif
