import Dflat
import EngineTestSupport
import Golden_post
import Golden_scalars
import PostgresDflat
import TestSupport
import Testing

@Suite("Transactions with many changes, which go to the server together")
struct PostgresBulkTests {
  private static let count = 2_500

  private static func sample(_ number: Int) -> Sample {
    // Numbers above those of bigint, too; and of one size class after the other, with some that are sent alone.
    Sample(
      sensorId: UInt64(number) &* 0x9e37_79b9_7f4a_7c15, level: [.LOW, .middle, .HIGH][number % 3],
      name: String(repeating: "n", count: number % 500 == 0 ? 100_000 : number % 40), shortOne: Int16(number),
      serial: UInt32(number), longOne: Int64(number))
  }

  @Test("Many objects are stored, changed and deleted as submitted, and found in the order of their rows")
  func manySamples() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    let samples = (0..<Self.count).map(Self.sample)
    database.perform([Sample.self]) { transaction in
      for sample in samples { transaction.try(submit: SampleChangeRequest.creationRequest(sample)) }
      #expect(workspace.fetch(for: Sample.self).count() == samples.count)
    }
    #expect(Array(workspace.fetch(for: Sample.self).all()) == samples)
    database.perform([Sample.self]) { transaction in
      for (number, sample) in workspace.fetch(for: Sample.self).all().enumerated() {
        if number % 3 == 0 {
          guard let request = SampleChangeRequest.deletionRequest(sample) else { continue }
          transaction.try(submit: request)
        } else {
          guard let request = SampleChangeRequest.changeRequest(sample) else { continue }
          request.tiny = Int8(number % 100)
          transaction.try(submit: request)
          // Twice, of which the later one counts.
          guard number % 7 == 0,
            let latest = workspace.fetch(for: Sample.self).first(where: Sample.serial == sample.serial),
            let again = SampleChangeRequest.changeRequest(latest)
          else { continue }
          again.longOne = -1
          transaction.try(submit: again)
        }
      }
    }
    let left = workspace.fetch(for: Sample.self).all()
    #expect(left.map(\.serial) == (0..<UInt32(Self.count)).filter { $0 % 3 != 0 })
    #expect(left.allSatisfy { $0.tiny == Int8($0.serial % 100) && ($0.longOne == -1) == ($0.serial % 7 == 0) })
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Changes of several types and kinds in turn keep their order")
  func mixedChanges() throws {
    let database = try TestDatabase()
    let workspace = database.workspace
    database.perform([Sample.self, Post.self]) { transaction in
      for number in 0..<400 {
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: 1)))
        transaction.try(submit: SampleChangeRequest.creationRequest(Self.sample(number)))
        guard number % 2 == 0, let post = workspace.fetch(for: Post.self).first(where: Post.title == "\(number)") else {
          continue
        }
        // What was just created is changed, deleted, and created again under its key.
        guard let change = PostChangeRequest.changeRequest(post) else { continue }
        change.priority = 2
        transaction.try(submit: change)
        guard number % 4 == 0, let deletion = PostChangeRequest.deletionRequest(post) else { continue }
        transaction.try(submit: deletion)
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: 4)))
      }
    }
    let posts = workspace.fetch(for: Post.self).all()
    #expect(posts.count == 400)
    #expect(
      posts.allSatisfy { post in
        Int(post.title).map { post.priority == ($0 % 4 == 0 ? 4 : $0 % 2 == 0 ? 2 : 1) } ?? false
      })
    #expect(workspace.fetch(for: Sample.self).count() == 400)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A key that is taken, among many new objects, is refused; the others are stored")
  func conflictAmongMany() throws {
    let database = try TestDatabase()
    database.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "700", priority: 7))) }
    let refused = Locked<[String]>([])
    database.perform([Post.self]) { transaction in
      refused.value = []
      for number in 0..<1_500 {
        do {
          try transaction.submit(PostChangeRequest.creationRequest(Post(title: "\(number)")))
        } catch TransactionError.objectAlreadyExists {
          refused.change { $0.append("\(number)") }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(refused.value == ["700"])
    #expect(database.workspace.fetch(for: Post.self).count() == 1_500)
    #expect(database.workspace.fetch(for: Post.self).first(where: Post.title == "700")?.priority == 7)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("Workspaces that make many objects at once give each a number of its own")
  func numbersOfSeveralWorkspaces() throws {
    let database = try TestDatabase()
    let workspaces = [database.workspace, database.other(), database.other()]
    let threads = BackgroundThreads(workspaces.count) { number in
      for round in 0..<6 {
        let isStored = TestDatabase.perform([Post.self], in: workspaces[number]) { transaction in
          for each in 0..<(round % 2 == 0 ? 3 : 300) {
            transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number) \(round) \(each)")))
          }
        }
        #expect(isStored)
      }
    }
    #expect(threads.end())
    #expect(database.workspace.fetch(for: Post.self).count() == 3 * 3 * 303)
    for each in workspaces.dropFirst() { each.shutdown() }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
