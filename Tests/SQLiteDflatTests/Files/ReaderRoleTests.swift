import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A workspace that is a reader writes nothing, and sees what others write")
struct ReaderRoleTests {
  private func reader(_ store: TestStore, _ errors: Collected<any Error>) -> SQLiteWorkspace {
    SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, role: .reader, errorHandler: { errors.append($0) })
  }

  private func titles(_ workspace: SQLiteWorkspace) -> [String] {
    workspace.fetch(for: Post.self).all().map(\.title).sorted()
  }

  private func insert(_ title: String, in store: TestStore, _ workspace: SQLiteWorkspace? = nil) {
    store.perform([Post.self], in: workspace) { context in
      context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
    }
  }

  /// The names, bytes and times of the files of a store.
  ///
  /// - Parameter isOpen: whether a writer has the store open: the system ends the locks of this process on each file that it closes.
  private func files(_ store: TestStore, isOpen: Bool = false) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: store.folder) {
      let path = store.folder + "/" + name
      var status = stat()
      #expect(stat(path, &status) == 0)
      let bytes = isOpen ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
      let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
      files[name] = "\(status.st_ino) \(status.st_size) \(bytes.hashValue) \(time?.timeIntervalSince1970 ?? 0)"
    }
    return files
  }

  /// Does with a reader what would write, were it none.
  private func use(_ workspace: SQLiteWorkspace, _ store: TestStore, _ errors: Collected<any Error>) {
    #expect(workspace.fetch(for: Post.self).where(Post.priority == 0).count == workspace.fetch(for: Post.self).count())
    _ = workspace.fetchWithinASnapshot { titles(workspace) }
    #expect(workspace.dictionary["key", Int.self] == nil || workspace.dictionary["key", Int.self] == 1)
    let before = errors.count
    store.perform([Post.self], in: workspace, completing: false) { context in
      do {
        try context.submit(PostChangeRequest.creationRequest(Post(title: "refused")))
        Issue.record("It was stored.")
      } catch TransactionError.others(let cause) {
        #expect("\(cause)".contains("role: .reader"))
      } catch {
        Issue.record(error)
      }
    }
    store.perform([Post.self], in: workspace) { _ in #expect(titles(workspace) == titles(workspace)) }
    #expect(errors.count == before + 1)
    workspace.dictionary["key"] = 2
    // If it was not refused in the background before.
    _ = workspace.dictionary.synchronize()
    #expect(eventually { workspace.dictionary["key", Int.self] != 2 && errors.count == before + 2 })
  }

  @Test("Where there is no file, it makes none, and finds the one that somebody makes")
  func noFile() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    let workspace = reader(store, errors)
    #expect(titles(workspace) == [] && errors.values.isEmpty)
    use(workspace, store, errors)
    #expect(try files(store).isEmpty)
    insert("a", in: store)
    #expect(titles(workspace) == ["a"])
    workspace.shutdown()
  }

  @Test("Beside a writer, and after it has been closed, no file changes but the reader's marks in the WAL index")
  func besideAWriter() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    insert("a", in: store)
    // An index that is behind is not filled.
    store.workspace.shutdown()
    try store.sql("DROP TABLE post__f10")
    let closed = try files(store)
    let workspace = reader(store, errors)
    #expect(titles(workspace) == ["a"])
    use(workspace, store, errors)
    usleep(50_000)
    #expect(try files(store) == closed)
    // While a writer has it open.
    let writer = store.reopened()
    insert("b", in: store, writer)
    #expect(titles(workspace) == ["a", "b"])
    // It fills the index in the background.
    writer.core.catchUp.stop()
    let open = try files(store, isOpen: true)
    use(workspace, store, errors)
    #expect(titles(workspace) == ["a", "b"])
    usleep(50_000)
    let later = try files(store, isOpen: true)
    #expect(later.filter { !$0.key.hasSuffix("-shm") } == open.filter { !$0.key.hasSuffix("-shm") })
    insert("c", in: store, writer)
    #expect(titles(workspace) == ["a", "b", "c"])
    writer.shutdown()
    #expect(titles(workspace) == ["a", "b", "c"])
    workspace.shutdown()
  }

  @Test("A log that a writer has left behind is read, and stays as it is")
  func leftLog() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    insert("a", in: store)
    try store.workspace.suspend(within: .seconds(patience))
    let left = try files(store)
    #expect(left.keys.sorted() == ["store.sqlite3", "store.sqlite3-shm", "store.sqlite3-wal"])
    let workspace = reader(store, errors)
    #expect(titles(workspace) == ["a"])
    use(workspace, store, errors)
    #expect(try files(store) == left)
    workspace.shutdown()
    #expect(try files(store) == left)
    store.workspace.resume()
    insert("b", in: store)
    #expect(titles(store.workspace) == ["a", "b"] && store.errors.values.isEmpty)
  }

  @Test("A reader observes the commits of other processes")
  func observing() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    insert("a", in: store)
    let workspace = reader(store, errors)
    let results = Collected<[String]>()
    let subscription = workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).all()) {
      results.append($0.map(\.title))
    }
    insert("b", in: store)
    #expect(eventually { results.values.last == ["a", "b"] })
    insert("c", in: store)
    #expect(eventually { results.values.last == ["a", "b", "c"] })
    #expect(errors.values.isEmpty, "\(errors.values)")
    subscription.cancel()
    workspace.shutdown()
  }

  @Test("A fetch without locks is repeated if a writer begins; in a snapshot, it fails")
  func torn() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    insert("a", in: store)
    store.workspace.shutdown()
    let (workspace, writer) = (reader(store, errors), store.reopened())
    workspace.fetchWithinASnapshot {
      #expect(titles(workspace) == ["a"])
      insert("b", in: store, writer)
      #expect(throws: StoreError.self) { try workspace.fetch(for: Post.self).throwing.all() }
    }
    #expect(titles(workspace) == ["a", "b"] && errors.values.isEmpty)
    // The last one to close the file puts the log into it, which a reader does not.
    workspace.shutdown()
    writer.shutdown()
    let (again, other) = (reader(store, errors), store.reopened())
    var calls = 0
    let count = try again.core.database.withReader(inTransaction: false) { connection in
      calls += 1
      if calls == 1 { insert("c", in: store, other) }
      return try connection.run("SELECT count(*) FROM post", for: "Testing")
    }
    #expect(count == "3" && calls == 2)
    other.shutdown()
    again.shutdown()
  }

  @Test("A reader never sees half of a transaction while writers open and close the file")
  func comingAndGoing() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    let pairs = Locked(0)
    func add(_ workspace: SQLiteWorkspace) {
      let number = pairs.change { number in
        number += 1
        return number
      }
      store.perform([Post.self], in: workspace) { context in
        for part in 0..<20 {
          let title = String(repeating: "x", count: 300) + "\(number) \(part)"
          context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
        }
      }
    }
    add(store.workspace)
    store.workspace.shutdown()
    let workspace = reader(store, errors)
    let isOver = Gate()
    let readings = Locked(0)
    let reading = BackgroundThreads(2) { _ in
      var last = 0
      while !isOver.isOpen {
        guard let posts = try? workspace.fetch(for: Post.self).throwing.all() else { continue }
        #expect(posts.count % 20 == 0 && posts.count >= last, "\(posts.count) after \(last)")
        last = posts.count
        readings.change { $0 += 1 }
      }
    }
    for _ in 0..<40 {
      let writer = store.reopened()
      add(writer)
      writer.shutdown()
    }
    isOver.open()
    #expect(reading.end() && workspace.fetch(for: Post.self).count() == 20 * pairs.value && readings.value > 0)
    workspace.shutdown()
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }

  @Test("A reader can be suspended, and reads a file in a folder that nobody may write")
  func otherFiles() throws {
    let (store, errors) = (try TestStore(), Collected<any Error>())
    insert("a", in: store)
    store.workspace.shutdown(flags: .truncate)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: store.folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: store.folder) }
    let workspace = SQLiteWorkspace(readOnly: store.path) { errors.append($0) }
    #expect(titles(workspace) == ["a"] && errors.values.isEmpty)
    try workspace.suspend(within: .seconds(patience))
    workspace.resume()
    #expect(titles(workspace) == ["a"] && errors.values.isEmpty)
    workspace.shutdown()
    // What a shutdown cannot do, since it would write, is reported.
    let other = reader(store, errors)
    other.shutdown(flags: [.vacuum, .truncate])
    #expect(errors.count == 1)
    #expect(try files(store).keys.sorted() == ["store.sqlite3"])
  }
}
