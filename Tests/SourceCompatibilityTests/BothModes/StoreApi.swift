// Calls of Dflat 0.6 with which an app opens a store, changes it, reads it and closes it, as its users write them. The page
// Documentation/api-of-dflat-0.6.md quotes these lines, and a test looks for what it quotes. This file is not modernised.

import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat

struct StoreApi {
  let dflat: Workspace

  // MARK: Opening

  static func open(_ path: String, on queue: DispatchQueue?) -> SQLiteWorkspace {
    SQLiteWorkspace(
      filePath: path, fileProtectionLevel: .noProtection, synchronous: .full, writeConcurrency: .serial,
      targetQueue: queue)
  }

  static func protection(_ rawValue: Int32) -> SQLiteWorkspace.FileProtectionLevel? {
    SQLiteWorkspace.FileProtectionLevel(rawValue: rawValue)
  }

  static func number(of level: SQLiteWorkspace.FileProtectionLevel) -> Int32 { level.rawValue }

  static func name(of level: SQLiteWorkspace.FileProtectionLevel) -> String {
    switch level {
    case .noProtection: return "D"
    case .completeFileProtection: return "A"
    case .completeFileProtectionUnlessOpen: return "B"
    case .completeFileProtectionUntilFirstUserAuthentication: return "C"
    }
  }

  static func isSafe(_ synchronous: SQLiteWorkspace.Synchronous) -> Bool {
    switch synchronous {
    case .normal: return false
    case .full: return true
    }
  }

  static func isSerial(_ writeConcurrency: SQLiteWorkspace.WriteConcurrency) -> Bool {
    switch writeConcurrency {
    case .concurrent: return false
    case .serial: return true
    }
  }

  // MARK: Changing

  func create(_ title: String, done: @escaping @Sendable (Bool) -> Void) {
    let change: Workspace.ChangesHandler = { txnContext in
      let creationRequest = PostChangeRequest.creationRequest()
      creationRequest.title = title
      txnContext.try(submit: creationRequest)
    }
    let completion: Workspace.CompletionHandler = { success in done(success) }
    dflat.performChanges([Post.self], changesHandler: change, completionHandler: completion)
  }

  func touch() {
    dflat.performChanges([Post.self], changesHandler: { _ in })
  }

  func touchAndWait() async -> Bool {
    await dflat.performChanges([Post.self], changesHandler: { _ in })
  }

  func createAndReport(_ post: Post) async -> Bool {
    await dflat.performChanges([Post.self]) { txnContext in
      do {
        let updated: UpdatedObject = try txnContext.submit(PostChangeRequest.creationRequest(post))
        if case .deleted = updated { txnContext.abort() }
      } catch TransactionError.objectAlreadyExists {
        txnContext.abort()
      } catch {
        assertionFailure("\(error)")
      }
    }
  }

  static func describe(_ updated: UpdatedObject) -> String {
    switch updated {
    case .inserted(let atom): return "inserted " + StoreApi.title(atom)
    case .updated(let atom): return "updated " + StoreApi.title(atom)
    case .identity(let atom): return "left " + StoreApi.title(atom)
    case .deleted(let rowid): return "deleted \(rowid)"
    }
  }

  static func title(_ atom: Atom) -> String { (atom as? Post)?.title ?? "" }

  static func isFinal(_ error: TransactionError) -> Bool {
    switch error {
    case .objectAlreadyExists: return false
    case .aborted, .diskFull, .others: return true
    }
  }

  func helper(_ txnContext: TransactionContext, _ post: Post) -> Bool {
    guard let upserted = txnContext.try(submit: PostChangeRequest.upsertRequest(post)) else { return false }
    if case .identity = upserted { return false }
    return true
  }

  // MARK: Reading

  func read(_ limit: Limit) -> [FetchedResult<Post>] {
    let builder: QueryBuilder<Post> = dflat.fetch(for: Post.self)
    let some: FetchedResult<Post> = builder.where(
      Post.priority > 1, limit: limit, orderBy: [Post.priority.descending, Post.title.ascending])
    let all = dflat.fetch(for: Post.self).all(limit: .noLimit, orderBy: [Post.title.ascending])
    let two = dflat.fetch(for: Post.self).all(limit: .limit(2))
    return [some, all, two]
  }

  func count<Q: Queryable>(in store: Q) -> Int {
    store.fetch(for: Post.self).all().count
  }

  func snapshot() -> (Int, Int) {
    dflat.fetchWithinASnapshot { () -> (Int, Int) in
      (dflat.fetch(for: Post.self).all().count, dflat.fetch(for: Post.self).where(Post.priority == 1).count)
    }
  }

  func walk(_ posts: FetchedResult<Post>) -> [String] {
    var titles = [String]()
    var index: FetchedResult<Post>.Index = posts.startIndex
    while index < posts.endIndex {
      let post: FetchedResult<Post>.Element = posts[index]
      titles.append(post.title)
      posts.formIndex(after: &index)
    }
    posts.formIndex(before: &index)
    let indices: FetchedResult<Post>.Indices = posts.indices
    let tail: FetchedResult<Post>.SubSequence = posts[1..<posts.count]
    titles.append("\(index) \(indices) \(tail.map { $0.title })")
    return titles
  }

  func rebuilt(_ posts: FetchedResult<Post>) -> Bool {
    let array: [Post] = posts.underlyingArray
    return FetchedResult(array) == posts
  }

  // MARK: Closing

  func close() {
    dflat.shutdown()
    dflat.shutdown(flags: .truncate)
  }

  func close(_ done: @escaping @Sendable () -> Void) {
    let flags: Workspace.ShutdownFlag = [.vacuum, .truncate]
    dflat.shutdown(flags: flags, completion: { done() })
    dflat.shutdown(completion: nil)
    dflat.shutdown(completion: { done() })
  }

  func closeAndWait() async {
    await dflat.shutdown()
    await dflat.shutdown(flags: [])
  }

  static func bits(_ flags: WorkspaceShutdownFlag) -> Int {
    WorkspaceShutdownFlag(rawValue: flags.rawValue).rawValue
  }
}
