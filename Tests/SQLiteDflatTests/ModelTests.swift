import Dflat
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("The store does what a dictionary does")
struct ModelTests {
  @Test("Random operations and queries, by every path", arguments: LongForm.seeds(24))
  func randomHistory(seed: Int) throws {
    let store = try TestStore()
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    var model = PostModel()
    for round in 0..<12 {
      let comment = "seed \(seed), round \(round)"
      change(store, &model, &generator, comment)
      try spoilIndex(store, &generator)
      for _ in 0..<12 { query(store.workspace, model, &generator, comment) }
    }
    #expect(store.errors.values.isEmpty)
    try checkLayout(store, model)
    LongForm.record(12 * 12, "queries by every path, beside a model")
  }

  /// Runs one transaction of several changes, which may be aborted.
  private func change(
    _ store: TestStore, _ model: inout PostModel, _ generator: inout PostGenerator, _ comment: String
  ) {
    var draft = model
    var mutableGenerator = generator
    let isAborted = generator.chance(15)
    mutableGenerator.random = SeededGenerator(seed: generator.random.next())
    store.perform([Post.self], completing: !isAborted) { context in
      for _ in 0..<Int.random(in: 1...30, using: &mutableGenerator.random) {
        changeOne(context, store.workspace, &draft, &mutableGenerator, comment)
      }
      if mutableGenerator.chance(50) {
        // In the transaction its own writes are seen.
        query(store.workspace, draft, &mutableGenerator, comment + ", inside")
      }
      if isAborted { #expect(context.abort()) }
    }
    if !isAborted { model = draft }
  }

  private func changeOne(
    _ context: any TransactionContext, _ workspace: SQLiteWorkspace, _ model: inout PostModel,
    _ generator: inout PostGenerator, _ comment: String
  ) {
    let post = generator.post(title: generator.title())
    let same = model.row(ofTitle: post.title)
    do {
      switch Int.random(in: 0..<10, using: &generator.random) {
      case 0..<4:
        let result = try context.submit(PostChangeRequest.creationRequest(post))
        guard same == nil, case .inserted(let stored as Post) = result else {
          Issue.record("\(comment): \(post.title) was stored twice")
          return
        }
        model.rows[stored._rowid] = stored
      case 4..<6:
        switch try context.submit(PostChangeRequest.upsertRequest(post)) {
        case .inserted(let stored as Post):
          #expect(same == nil, "\(comment)")
          model.rows[stored._rowid] = stored
        case .updated(let stored as Post):
          #expect(same?._rowid == stored._rowid, "\(comment)")
          model.rows[stored._rowid] = stored
        case .identity(let stored as Post):
          #expect(same == stored, "\(comment)")
        default: Issue.record("\(comment): wrong result")
        }
      case 6..<9:
        guard let target = pickRow(model, &generator) else { return }
        // An object that was never stored is found by its primary key.
        let handle = generator.chance(50) ? target : Post(title: target.title)
        guard let request = PostChangeRequest.changeRequest(handle) else {
          Issue.record("\(comment): \(target) is gone")
          return
        }
        if generator.chance(30) { request.title = post.title }
        if generator.chance(50) { request.priority = post.priority }
        if generator.chance(50) { request.tag = post.tag }
        if generator.chance(50) { request.content = post.content }
        let isSame = request._object(_rowid: 0) == target && request.tag.bytes == target.tag.bytes
        let isTaken = !request.title.utf8.elementsEqual(target.title.utf8) && model.row(ofTitle: request.title) != nil
        switch try context.submit(request) {
        case .updated(let stored as Post):
          #expect(!isTaken && stored._rowid == target._rowid, "\(comment)")
          model.rows[stored._rowid] = stored
        case .identity(let stored as Post):
          #expect(isSame && stored._rowid == target._rowid, "\(comment)")
        default: Issue.record("\(comment): wrong result")
        }
      default:
        guard let target = pickRow(model, &generator) else { return }
        guard let request = PostChangeRequest.deletionRequest(target) else {
          Issue.record("\(comment): \(target) is gone")
          return
        }
        guard case .deleted(target._rowid) = try context.submit(request) else {
          Issue.record("\(comment): wrong result")
          return
        }
        model.rows[target._rowid] = nil
      }
    } catch TransactionError.objectAlreadyExists {
      // A conflict, of which nothing must remain: the queries that follow would show it.
    } catch {
      Issue.record("\(comment): \(error)")
    }
  }

  private func pickRow(_ model: PostModel, _ generator: inout PostGenerator) -> Post? {
    let rowids = model.rows.keys.sorted()
    return rowids.isEmpty ? nil : model.rows[generator.pick(rowids)]
  }

  /// Leaves the index as it is, or takes it away, wholly or in part.
  private func spoilIndex(_ store: TestStore, _ generator: inout PostGenerator) throws {
    guard try store.sql("SELECT count(*) FROM sqlite_master WHERE name = 'post__f10'") == [["1"]] else { return }
    switch Int.random(in: 0..<4, using: &generator.random) {
    case 0: try store.sql("DROP TABLE post__f10")
    case 1: try store.sql("DELETE FROM post__f10 WHERE rowid > (SELECT max(rowid) / 2 FROM post)")
    case 2:
      // An entry that has outlived its row.
      try store.sql(
        """
        INSERT OR IGNORE INTO post__f10
        SELECT seq, 1 FROM sqlite_sequence WHERE name = 'post' AND seq NOT IN (SELECT rowid FROM post)
        """)
    default: break
    }
  }

  private func query(
    _ workspace: SQLiteWorkspace, _ model: PostModel, _ generator: inout PostGenerator, _ comment: String
  ) {
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
    #expect(
      fetched.map(\._rowid) == expected.map(\._rowid) && Array(fetched) == expected,
      "\(comment): \(String(describing: condition)) by \(keys), limit \(limit)")
    checkNumbers(builder, model, condition, keys, comment)
    checkPages(builder, model, condition, keys, size: Int.random(in: 1...9, using: &generator.random), comment)
  }

  private func checkNumbers(
    _ builder: QueryBuilder<Post>, _ model: PostModel, _ condition: PostCondition?, _ keys: [PostKey], _ comment: String
  ) {
    let expected = model.fetch(condition, keys, limit: .max)
    let order = keys.map(\.orderBy)
    let query = condition?.query
    let count = query.map { builder.count(where: $0) } ?? builder.count()
    let exists = query.map { builder.exists(where: $0) } ?? builder.exists()
    let first = query.map { builder.first(where: $0, orderBy: order) } ?? builder.first(orderBy: order)
    #expect(
      count == expected.count && exists == !expected.isEmpty && first?._rowid == expected.first?._rowid,
      "\(comment): \(String(describing: condition)) by \(keys)")
  }

  /// Checks that the pages of a result, one after the other, are the whole result.
  private func checkPages(
    _ builder: QueryBuilder<Post>, _ model: PostModel, _ condition: PostCondition?, _ keys: [PostKey], size: Int,
    _ comment: String
  ) {
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
    #expect(
      rowids == expected.map(\._rowid), "\(comment): \(String(describing: condition)) by \(keys), pages of \(size)")
    // All that follows one of them, in one page.
    guard let middle = expected.dropFirst(size).first else { return }
    let rest =
      condition.map { builder.where($0.query, orderBy: order, after: middle) }
      ?? builder.all(orderBy: order, after: middle)
    #expect(
      rest.map(\._rowid) == expected.dropFirst(size + 1).map(\._rowid),
      "\(comment): \(String(describing: condition)) by \(keys), after number \(size)")
  }

  private func checkLayout(_ store: TestStore, _ model: PostModel) throws {
    store.workspace.shutdown()
    let rows = model.rows.values.sorted { $0._rowid < $1._rowid }
    #expect(
      try store.sql("SELECT rowid, hex(__pk0) FROM post ORDER BY rowid")
        == rows.map { ["\($0._rowid)", $0.title.utf8.map { String(UInt8($0), hexDigits: 2) }.joined()] })
    // Whatever entries there are, they are right.
    let hasIndex = try store.sql("SELECT count(*) FROM sqlite_master WHERE name = 'post__f10'") == [["1"]]
    for entry in try !hasIndex
      ? [] : store.sql("SELECT rowid, f10 FROM post__f10 WHERE rowid IN (SELECT rowid FROM post)")
    {
      let rowid = Int64(entry[0] ?? "") ?? 0
      #expect(entry[1] == model.rows[rowid].map { "\($0.priority)" })
    }
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }
}

extension Optional where Wrapped == String {
  fileprivate var bytes: [UInt8]? { map { Array($0.utf8) } }
}

extension String {
  fileprivate init(_ byte: UInt8, hexDigits: Int) {
    let digits = String(byte, radix: 16, uppercase: true)
    self = String(repeating: "0", count: hexDigits - digits.count) + digits
  }
}
