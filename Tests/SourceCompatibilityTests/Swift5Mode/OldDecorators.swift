// Types that an app of Dflat 0.6 puts around its workspace, with the requirements that the protocols had there.

import Dflat
import Golden_post

/// Passes everything on to a workspace, and hands the closures of transactions a context of its own.
final class PassingWorkspace: Workspace {
  let base: Workspace
  let refuses: Bool

  init(_ base: Workspace, refuses: Bool = false) {
    self.base = base
    self.refuses = refuses
  }

  func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> { base.fetch(for: ofType) }

  func fetchWithinASnapshot<T>(_ closure: () -> T) -> T { base.fetchWithinASnapshot(closure) }

  func shutdown(flags: WorkspaceShutdownFlag, completion: (() -> Void)?) {
    base.shutdown(flags: flags, completion: completion)
  }

  func shutdown(flags: WorkspaceShutdownFlag) async { await base.shutdown(flags: flags) }

  func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: @escaping ChangesHandler,
    completionHandler: CompletionHandler?
  ) {
    let refuses = self.refuses
    base.performChanges(
      transactionalObjectTypes, changesHandler: { changesHandler(PassingContext($0, refuses: refuses)) },
      completionHandler: completionHandler)
  }

  func performChanges(
    _ transactionalObjectTypes: [Any.Type], changesHandler: @escaping ChangesHandler
  ) async -> Bool {
    let refuses = self.refuses
    return await base.performChanges(transactionalObjectTypes) { changesHandler(PassingContext($0, refuses: refuses)) }
  }

  var dictionary: WorkspaceDictionary { base.dictionary }

  func subscribe<Element: Atom>(
    fetchedResult: FetchedResult<Element>, changeHandler: @escaping @Sendable (_: FetchedResult<Element>) -> Void
  ) -> Subscription where Element: Equatable {
    base.subscribe(fetchedResult: fetchedResult, changeHandler: changeHandler)
  }

  func subscribe<Element: Atom>(
    object: Element, changeHandler: @escaping @Sendable (_: SubscribedObject<Element>) -> Void
  ) -> Subscription where Element: Equatable {
    base.subscribe(object: object, changeHandler: changeHandler)
  }

  func subscribe<Element: Atom>(
    object: Element, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
  ) -> AsyncStream<Element> where Element: Equatable {
    base.subscribe(object: object, bufferingPolicy: bufferingPolicy)
  }

  func subscribe<Element: Atom>(
    fetchedResult: FetchedResult<Element>,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy
  ) -> AsyncStream<FetchedResult<Element>> where Element: Equatable {
    base.subscribe(fetchedResult: fetchedResult, bufferingPolicy: bufferingPolicy)
  }
}

/// Passes everything on to a context, or refuses what is submitted.
struct PassingContext: TransactionContext {
  let base: TransactionContext
  let refuses: Bool

  init(_ base: TransactionContext, refuses: Bool) {
    self.base = base
    self.refuses = refuses
  }

  func submit<T: ChangeRequest>(_ request: T) throws -> UpdatedObject {
    if refuses { throw TransactionError.others }
    return try base.submit(request)
  }

  func abort() -> Bool { base.abort() }
}
