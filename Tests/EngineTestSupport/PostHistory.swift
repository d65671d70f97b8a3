import Dflat
import Dispatch
import Golden_post
import TestSupport
import Testing

/// A random history of transactions and queries in a workspace of any engine, beside a model.
package struct PostHistory {
  package let workspace: any Workspace
  package private(set) var model = PostModel()

  /// A history in a workspace that is empty.
  package init(in workspace: any Workspace) {
    self.workspace = workspace
  }

  /// Runs one transaction of several changes, which may be aborted.
  package mutating func change(_ generator: inout PostGenerator, _ comment: String) {
    let isAborted = generator.chance(15)
    let seed = generator.random.next()
    // The closure may run several times, and only the last one counts.
    var draft = model
    var problems: [String] = []
    let (workspace, model) = (workspace, model)
    let outcome = perform { context in
      draft = model
      problems = []
      var mutableGenerator = PostGenerator(random: SeededGenerator(seed: seed))
      for _ in 0..<Int.random(in: 1...30, using: &mutableGenerator.random) {
        problems += PostHistory.changeOne(context, &draft, &mutableGenerator, comment)
      }
      if mutableGenerator.chance(50) {
        // In the transaction its own writes are seen.
        problems += PostHistory.query(workspace, draft, &mutableGenerator, comment + ", inside")
      }
      if isAborted, !context.abort() { problems.append("\(comment): cannot be aborted") }
    }
    if outcome == isAborted { problems.append("\(comment): has completed with \(outcome)") }
    for problem in problems { Issue.record("\(problem)") }
    if !isAborted { self.model = draft }
  }

  /// Runs a transaction, and waits for it.
  private func perform(_ changes: @escaping (any TransactionContext) -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked(false)
    // The caller waits until the closure has run, so that what it uses is not used by two at once.
    nonisolated(unsafe) let changes = changes
    workspace.performChanges([Post.self], changesHandler: { changes($0) }) {
      outcome.value = $0
      done.signal()
    }
    done.wait()
    return outcome.value
  }

  /// - Returns: what was not as it should be.
  private static func changeOne(
    _ context: any TransactionContext, _ model: inout PostModel, _ generator: inout PostGenerator, _ comment: String
  ) -> [String] {
    var problems: [String] = []
    func expect(_ condition: Bool) { if !condition { problems.append("\(comment): wrong object") } }
    let post = generator.post(title: generator.title())
    let same = model.row(ofTitle: post.title)
    do {
      switch Int.random(in: 0..<10, using: &generator.random) {
      case 0..<4:
        let result = try context.submit(PostChangeRequest.creationRequest(post))
        guard same == nil, case .inserted(let stored) = result else {
          problems.append("\(comment): \(post.title) was stored twice")
          return problems
        }
        model.rows[stored._rowid] = stored
      case 4..<6:
        switch try context.submit(PostChangeRequest.upsertRequest(post)) {
        case .inserted(let stored):
          expect(same == nil)
          model.rows[stored._rowid] = stored
        case .updated(let stored):
          expect(same?._rowid == stored._rowid)
          model.rows[stored._rowid] = stored
        case .identity(let stored):
          expect(same == stored)
        default: problems.append("\(comment): wrong result")
        }
      case 6..<9:
        guard let target = pickRow(model, &generator) else { return problems }
        // An object that was never stored is found by its primary key.
        let handle = generator.chance(50) ? target : Post(title: target.title)
        guard let request = PostChangeRequest.changeRequest(handle) else {
          problems.append("\(comment): \(target) is gone")
          return problems
        }
        if generator.chance(30) { request.title = post.title }
        if generator.chance(50) { request.priority = post.priority }
        if generator.chance(50) { request.tag = post.tag }
        if generator.chance(50) { request.content = post.content }
        let isSame = request._object(_rowid: 0) == target && request.tag.bytes == target.tag.bytes
        let isTaken = !request.title.utf8.elementsEqual(target.title.utf8) && model.row(ofTitle: request.title) != nil
        switch try context.submit(request) {
        case .updated(let stored):
          expect(!isTaken && stored._rowid == target._rowid)
          model.rows[stored._rowid] = stored
        case .identity(let stored):
          expect(isSame && stored._rowid == target._rowid)
        default: problems.append("\(comment): wrong result")
        }
      default:
        guard let target = pickRow(model, &generator) else { return problems }
        guard let request = PostChangeRequest.deletionRequest(target) else {
          problems.append("\(comment): \(target) is gone")
          return problems
        }
        guard case .deleted(target._rowid) = try context.submit(request) else {
          problems.append("\(comment): wrong result")
          return problems
        }
        model.rows[target._rowid] = nil
      }
    } catch TransactionError.objectAlreadyExists {
      // A conflict, of which nothing must remain: the queries that follow would show it.
    } catch {
      problems.append("\(comment): \(error)")
    }
    return problems
  }

  private static func pickRow(_ model: PostModel, _ generator: inout PostGenerator) -> Post? {
    let rowids = model.rows.keys.sorted()
    return rowids.isEmpty ? nil : model.rows[generator.pick(rowids)]
  }

  /// Makes a random query, and compares what it finds with what the model has.
  ///
  /// - Returns: what was not as it should be.
  package static func query(
    _ workspace: any Workspace, _ model: PostModel, _ generator: inout PostGenerator, _ comment: String
  ) -> [String] {
    var problems: [String] = []
    func expect(_ condition: Bool, _ what: String) { if !condition { problems.append(what) } }
    let condition =
      generator.chance(90) ? generator.condition(depth: Int.random(in: 0...3, using: &generator.random)) : nil
    let keys = generator.keys()
    let limit = generator.chance(50) ? Int.max : Int.random(in: 0...5, using: &generator.random)
    let builder = workspace.fetch(for: Post.self)
    let sqlLimit = limit == .max ? Limit.noLimit : .limit(limit)
    let fetched =
      condition.map { builder.where($0.query, limit: sqlLimit, orderBy: keys.map(\.orderBy)) }
      ?? builder.all(limit: sqlLimit, orderBy: keys.map(\.orderBy))
    let expected = model.fetch(condition, keys, limit: limit)
    expect(
      fetched.map(\._rowid) == expected.map(\._rowid) && Array(fetched) == expected,
      "\(comment): \(String(describing: condition)) by \(keys), limit \(limit)")
    problems += checkNumbers(builder, model, condition, keys, comment)
    problems += checkPages(
      builder, model, condition, keys, size: Int.random(in: 1...9, using: &generator.random), comment)
    return problems
  }

  private static func checkNumbers(
    _ builder: QueryBuilder<Post>, _ model: PostModel, _ condition: PostCondition?, _ keys: [PostKey], _ comment: String
  ) -> [String] {
    let expected = model.fetch(condition, keys, limit: .max)
    let order = keys.map(\.orderBy)
    let query = condition?.query
    let count = query.map { builder.count(where: $0) } ?? builder.count()
    let exists = query.map { builder.exists(where: $0) } ?? builder.exists()
    let first = query.map { builder.first(where: $0, orderBy: order) } ?? builder.first(orderBy: order)
    let isSame = count == expected.count && exists == !expected.isEmpty && first?._rowid == expected.first?._rowid
    return isSame ? [] : ["\(comment): count of \(String(describing: condition)) by \(keys)"]
  }

  /// Checks that the pages of a result, one after the other, are the whole result.
  private static func checkPages(
    _ builder: QueryBuilder<Post>, _ model: PostModel, _ condition: PostCondition?, _ keys: [PostKey], size: Int,
    _ comment: String
  ) -> [String] {
    var problems: [String] = []
    func expect(_ condition: Bool, _ what: String) { if !condition { problems.append(what) } }
    let order = keys.map(\.orderBy)
    let expected = model.fetch(condition, keys, limit: .max)
    var rowids: [Int64] = []
    var last: Post?
    repeat {
      let page =
        condition.map { builder.where($0.query, limit: .limit(size), orderBy: order, after: last) }
        ?? builder.all(limit: .limit(size), orderBy: order, after: last)
      rowids += page.map(\._rowid)
      last = page.count == size ? page.last : nil
    } while last != nil && rowids.count <= expected.count
    expect(
      rowids == expected.map(\._rowid), "\(comment): \(String(describing: condition)) by \(keys), pages of \(size)")
    // All that follows one of them, in one page.
    guard let middle = expected.dropFirst(size).first else { return problems }
    let rest =
      condition.map { builder.where($0.query, orderBy: order, after: middle) }
      ?? builder.all(orderBy: order, after: middle)
    expect(
      rest.map(\._rowid) == expected.dropFirst(size + 1).map(\._rowid),
      "\(comment): \(String(describing: condition)) by \(keys), after number \(size)")
    return problems
  }
}

extension Optional where Wrapped == String {
  fileprivate var bytes: [UInt8]? { map { Array($0.utf8) } }
}
