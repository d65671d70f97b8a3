import Dflat
import Dispatch
import SQLiteDflat

/// A kind of object that writing is timed with. What is timed is written for each kind, as an app has it, since generic
/// code may cost something of its own.
protocol WrittenObject: Atom, FlatBuffersEncodable, Equatable {
  /// What the rows of the report call them.
  static var plural: String { get }
  /// The table that SQLite's C API has for them.
  static var table: String { get }
  static var hasIndex: Bool { get }
  var title: String { get }
  var priority: Int32 { get }

  /// An object with a number; its tag is that of the number unless it is given.
  static func sample(_ number: Int, priority: Int32, tag: String?) -> Self
  static func insert(_ objects: [Self], into workspace: any Workspace) async -> Bool
  /// In a transaction for each, all of them queued at once.
  static func insertEach(_ objects: [Self], into workspace: SQLiteWorkspace)
  /// Sets the priority of each.
  static func update(_ objects: FetchedResult<Self>, _ step: Int32, in workspace: SQLiteWorkspace) async -> Bool
  /// Sets the priority of each, and a tag of another length.
  static func updateSize(_ objects: FetchedResult<Self>, _ step: Int32, in workspace: SQLiteWorkspace) async -> Bool
  /// Sets the priority of each, in a transaction for each.
  static func updateEach(_ objects: FetchedResult<Self>, _ step: Int32, in workspace: SQLiteWorkspace)
  static func delete(_ objects: FetchedResult<Self>, in workspace: SQLiteWorkspace) async -> Bool
}

/// The priority that an update gives to the object with a number: none has it before.
func updatedPriority(_ number: Int, _ step: Int32) -> Int32 { 7 * Int32(number) + step }

/// The tag that an update gives to the object with a number, so that the size of the object changes.
///
/// A sample's tag is five or six bytes long. These are shorter or longer by four bytes or more, since FlatBuffers pads
/// strings to multiples of four.
func resizedTag(_ number: Int) -> String { resizedTags[number % resizedTags.count] }

private let resizedTags = [1, 12, 20, 40].map { String(repeating: "t", count: $0) }

extension BenchDoc: WrittenObject {
  static let plural = "documents"
  static let table = "benchdoc"
  static let hasIndex = false

  static func sample(_ number: Int, priority: Int32, tag: String? = nil) -> BenchDoc {
    BenchDoc(
      title: "title \(number)", pos: BenchPosition(x: Float(number), y: 1, z: 2),
      color: [.red, .green, .blue][number % 3],
      content: .benchText(BenchText(text: "text of \(number)")), tag: tag ?? "tag \(number % 6)", priority: priority)
  }

  static func insert(_ documents: [BenchDoc], into workspace: any Workspace) async -> Bool {
    await workspace.performChanges([BenchDoc.self]) { transaction in
      for document in documents { transaction.try(submit: BenchDocChangeRequest.creationRequest(document)) }
    }
  }

  static func insertEach(_ documents: [BenchDoc], into workspace: SQLiteWorkspace) {
    let done = DispatchGroup()
    for document in documents {
      done.enter()
      workspace.performChanges([BenchDoc.self]) { transaction in
        transaction.try(submit: BenchDocChangeRequest.creationRequest(document))
      } completionHandler: { _ in
        done.leave()
      }
    }
    done.wait()
  }

  static func update(
    _ documents: FetchedResult<BenchDoc>, _ step: Int32, in workspace: SQLiteWorkspace
  ) async -> Bool {
    await workspace.performChanges([BenchDoc.self]) { transaction in
      for (number, document) in documents.enumerated() {
        guard let request = BenchDocChangeRequest.changeRequest(document) else { continue }
        request.priority = updatedPriority(number, step)
        transaction.try(submit: request)
      }
    }
  }

  static func updateSize(
    _ documents: FetchedResult<BenchDoc>, _ step: Int32, in workspace: SQLiteWorkspace
  ) async -> Bool {
    await workspace.performChanges([BenchDoc.self]) { transaction in
      for (number, document) in documents.enumerated() {
        guard let request = BenchDocChangeRequest.changeRequest(document) else { continue }
        request.priority = updatedPriority(number, step)
        request.tag = resizedTag(number)
        transaction.try(submit: request)
      }
    }
  }

  static func updateEach(_ documents: FetchedResult<BenchDoc>, _ step: Int32, in workspace: SQLiteWorkspace) {
    let done = DispatchGroup()
    for (number, document) in documents.enumerated() {
      done.enter()
      workspace.performChanges([BenchDoc.self]) { transaction in
        guard let request = BenchDocChangeRequest.changeRequest(document) else { return }
        request.priority = updatedPriority(number, step)
        transaction.try(submit: request)
      } completionHandler: { _ in
        done.leave()
      }
    }
    done.wait()
  }

  static func delete(_ documents: FetchedResult<BenchDoc>, in workspace: SQLiteWorkspace) async -> Bool {
    await workspace.performChanges([BenchDoc.self]) { transaction in
      for document in documents {
        guard let request = BenchDocChangeRequest.deletionRequest(document) else { continue }
        transaction.try(submit: request)
      }
    }
  }
}

extension Post: WrittenObject {
  static let plural = "posts with an index"
  static let table = "post"
  static let hasIndex = true

  static func sample(_ number: Int, priority: Int32, tag: String? = nil) -> Post {
    Post(
      title: "post number \(number)", color: [.red, .green, .blue][number % 3], tag: tag ?? "tag \(number % 100)",
      priority: priority, content: .textContent(TextContent(text: "What post number \(number) says")))
  }

  static func insert(_ posts: [Post], into workspace: any Workspace) async -> Bool {
    await workspace.performChanges([Post.self]) { transaction in
      for post in posts { transaction.try(submit: PostChangeRequest.creationRequest(post)) }
    }
  }

  static func insertEach(_ posts: [Post], into workspace: SQLiteWorkspace) {
    let done = DispatchGroup()
    for post in posts {
      done.enter()
      workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(post))
      } completionHandler: { _ in
        done.leave()
      }
    }
    done.wait()
  }

  static func update(_ posts: FetchedResult<Post>, _ step: Int32, in workspace: SQLiteWorkspace) async -> Bool {
    await workspace.performChanges([Post.self]) { transaction in
      for (number, post) in posts.enumerated() {
        guard let request = PostChangeRequest.changeRequest(post) else { continue }
        request.priority = updatedPriority(number, step)
        transaction.try(submit: request)
      }
    }
  }

  static func updateSize(
    _ posts: FetchedResult<Post>, _ step: Int32, in workspace: SQLiteWorkspace
  ) async -> Bool {
    await workspace.performChanges([Post.self]) { transaction in
      for (number, post) in posts.enumerated() {
        guard let request = PostChangeRequest.changeRequest(post) else { continue }
        request.priority = updatedPriority(number, step)
        request.tag = resizedTag(number)
        transaction.try(submit: request)
      }
    }
  }

  static func updateEach(_ posts: FetchedResult<Post>, _ step: Int32, in workspace: SQLiteWorkspace) {
    let done = DispatchGroup()
    for (number, post) in posts.enumerated() {
      done.enter()
      workspace.performChanges([Post.self]) { transaction in
        guard let request = PostChangeRequest.changeRequest(post) else { return }
        request.priority = updatedPriority(number, step)
        transaction.try(submit: request)
      } completionHandler: { _ in
        done.leave()
      }
    }
    done.wait()
  }

  static func delete(_ posts: FetchedResult<Post>, in workspace: SQLiteWorkspace) async -> Bool {
    await workspace.performChanges([Post.self]) { transaction in
      for post in posts {
        guard let request = PostChangeRequest.deletionRequest(post) else { continue }
        transaction.try(submit: request)
      }
    }
  }
}
