import EngineTestSupport
import TestSupport

#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Foundation
  import Golden_post
  import PostgresDflat
  import Testing

  @Suite("Transactions that are unordered on PostgreSQL")
  struct UnorderedTransactionTests {
    private func workspace(_ database: TestDatabase, _ configure: (inout PostgresOptions) -> Void = { _ in })
      -> PostgresWorkspace
    {
      var options = PostgresOptions(connection: database.server.connection(to: database.name))
      options.retry = .limited(500)
      configure(&options)
      return PostgresWorkspace(
        options, writeConcurrency: .unordered,
        errorHandler: { [errors = database.errors] in
          errors.append($0)
        })
    }

    @Test("Two unordered transactions of one type run at the same time")
    func sameType() async throws {
      let database = try TestDatabase()
      let workspace = workspace(database)
      let (first, second) = (Gate(), Gate())
      async let one = workspace.performChanges([Post.self]) { transaction in
        first.open()
        // The other one could not begin if it had to wait for this one.
        #expect(second.wait())
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "one")))
      }
      async let other = workspace.performChanges([Post.self]) { transaction in
        second.open()
        #expect(first.wait())
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "other")))
      }
      #expect(await [one, other] == [true, true])
      #expect(workspace.fetch(for: Post.self).count() == 2)
      #expect(database.errors.values.isEmpty)
      await workspace.shutdown()
    }

    @Test("Increments of one object by many tasks are all kept")
    func increments() async throws {
      let database = try TestDatabase()
      let workspace = workspace(database)
      await workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "counter")))
      }
      let stored = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<8 {
          group.addTask {
            var stored = 0
            for _ in 0..<10 {
              let isStored = await workspace.performChanges([Post.self]) { transaction in
                guard let post = workspace.fetch(for: Post.self).by("counter"),
                  let request = PostChangeRequest.changeRequest(post)
                else { return }
                request.priority += 1
                transaction.try(submit: request)
              }
              if isStored { stored += 1 }
            }
            return stored
          }
        }
        return await group.reduce(0, +)
      }
      #expect(stored == 80)
      #expect(workspace.fetch(for: Post.self).by("counter")?.priority == 80)
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
      await workspace.shutdown()
    }

    @Test("More unordered transactions than connections wait for a connection, and none fails")
    func fewConnections() async throws {
      let database = try TestDatabase()
      let workspace = workspace(database) {
        $0.connectionLimit = 3
        $0.poolTimeout = 600
      }
      let stored = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<40 {
          group.addTask {
            await workspace.performChanges([Post.self]) { transaction in
              usleep(20_000)
              transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)")))
            }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(stored == 40)
      #expect(database.errors.values.isEmpty, "\(database.errors.values)")
      await workspace.shutdown()
      // What has been called before a shutdown is done, and nothing after it.
      #expect(await workspace.performChanges([Post.self]) { _ in } == false)
    }
  }
#endif
