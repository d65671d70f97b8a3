/// The part of the Swift program that sends random objects through SQLite, and compares what is found with an array.
enum StoreDriver {
  static let source = #"""
    import SQLiteDflat

    /// What a query about a field must find, for the value that one of the objects has there.
    struct Query<Model: Atom>: Sendable {
      let name: String
      let questions: @Sendable (Model) -> [(ask: QueryExpression<Bool, Model>, isWanted: (Model) -> Bool)]
    }

    func query<Model: Atom, Value: DflatFriendlyValue>(
      _ name: String, _ field: QueryExpression<Value, Model>, _ get: @escaping @Sendable (Model) -> Value?
    ) -> Query<Model> {
      // What is not a number is NULL in SQL.
      let value = { @Sendable (model: Model) -> Value? in get(model).flatMap { $0 == $0 ? $0 : nil } }
      return Query(name: name) { pivot in
        guard let wanted = value(pivot) else { return [(field.isNull, { value($0) == nil })] }
        return [
          (field == wanted, { value($0) == wanted }), (field != wanted, { value($0).map { $0 != wanted } ?? false }),
          (field < wanted, { value($0).map { isLess($0, wanted) } ?? false }),
          (field >= wanted, { value($0).map { !isLess($0, wanted) } ?? false }), (field.isNull, { value($0) == nil }),
        ]
      }
    }

    func query<Model: Atom>(
      _ name: String, _ field: QueryExpression<Bool, Model>, _ get: @escaping @Sendable (Model) -> Bool?
    ) -> Query<Model> {
      Query(name: name) { pivot in
        guard let wanted = get(pivot) else { return [(field.isNull, { get($0) == nil })] }
        return [(field == wanted, { get($0) == wanted }), (field, { get($0) ?? false })]
      }
    }

    func isLess<Value: Comparable>(_ lhs: Value, _ rhs: Value) -> Bool {
      if let lhs = lhs as? String, let rhs = rhs as? String { return before(lhs, rhs) }
      return lhs < rhs
    }

    /// How often something happened, so that a test can see that it did.
    struct Tally: Sendable {
      var created = 0
      var refused = 0
      var updated = 0
      var deleted = 0
      var queries = 0
      var found = 0
      var complaints: [String] = []
    }

    struct StoreEntry: Sendable {
      let run: @Sendable (UInt64, Int, String) async throws -> Tally

      init<Model: Atom & FlatBuffersEncodable & Equatable, Request: ChangeRequest & SendableMetatype>(
        _: Model.Type, random: @escaping @Sendable (inout Random) -> Model, key: @escaping @Sendable (Model) -> String,
        hasUnique: Bool, creation: @escaping @Sendable (Model) -> Request, change: @escaping @Sendable (Model) -> Request?,
        upsert: @escaping @Sendable (Model) -> Request, deletion: @escaping @Sendable (Model) -> Request?,
        assign: @escaping @Sendable (Request, Model) -> Void, queries: [Query<Model>]
      ) where Request.Element == Model {
        run = { seed, count, path in
          var r = Random(seed)
          r.isWild = true
          var tally = Tally()
          var objects: [String: Model] = [:]
          let first = (0..<count).map { _ in random(&r) }
          // What those are changed to, and some more.
          let second = (0..<count).map { _ in random(&r) }

          func complain(_ text: String) { tally.complaints.append(text) }
          func same(_ lhs: Model, _ rhs: Model) -> Bool {
            // Not a number is not equal to itself, but has bytes.
            bytes(of: lhs) == bytes(of: rhs)
          }
          func check(_ workspace: SQLiteWorkspace, _ when: String) {
            let all = workspace.fetch(for: Model.self).all()
            tally.found += all.count
            if all.count != objects.count { complain("\(when): \(all.count) objects instead of \(objects.count)") }
            for model in all {
              guard let wanted = objects[key(model)] else { complain("\(when): nobody stored \(key(model))"); continue }
              if !same(model, wanted) { complain("\(when): \(key(model)) is another object") }
            }
            for pivot in (first + second).prefix(6) + objects.values.prefix(4) {
              for query in queries {
                for (place, question) in query.questions(pivot).enumerated() {
                  tally.queries += 1
                  let found = Set(workspace.fetch(for: Model.self).where(question.ask).map(key))
                  let wanted = Set(objects.values.filter(question.isWanted).map(key))
                  if found != wanted {
                    complain("\(when): question \(place) about \(query.name) finds \(found.count), not \(wanted.count)")
                  }
                }
              }
            }
          }
          func open() -> SQLiteWorkspace {
            SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { fatalError("\($0)") }
          }

          // As an object's bytes are, so must it be read from them.
          for model in first + second {
            let again = Model.from(byteBuffer: ByteBuffer(bytes(of: model)))
            if !same(again, model) { complain("bytes: \(key(model)) is another object") }
          }

          var workspace = open()
          let created = try await workspace.performChanges([Model.self]) { transaction -> [Model] in
            first.filter { (try? transaction.submit(creation($0))) != nil }
          }
          for model in created {
            if objects.updateValue(model, forKey: key(model)) != nil { complain("one key twice: \(key(model))") }
          }
          tally.created = objects.count
          tally.refused = first.count - objects.count
          if !hasUnique, objects.count != Set(first.map(key)).count { complain("objects were refused for nothing") }
          check(workspace, "after creation")

          let stored = objects.values.sorted { key($0) < key($1) }
          let changed = try await workspace.performChanges([Model.self]) { transaction -> [String: Model] in
            var changed: [String: Model] = [:]
            for (place, model) in stored.enumerated() where place % 2 == 0 {
              guard let request = change(model) else { continue }
              assign(request, second[place])
              let wanted = request._object(_rowid: 0)
              switch try? transaction.submit(request) {
              case .updated?, .identity?: changed[key(model)] = wanted
              default: break
              }
            }
            // In place of one that is there, or new.
            for model in second.suffix(3) where (try? transaction.submit(upsert(model))) != nil { changed[key(model)] = model }
            return changed
          }
          for (name, model) in changed { objects[name] = model }
          tally.updated = changed.count
          check(workspace, "after changes")

          let doomed = objects.values.sorted { key($0) < key($1) }.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
          let deleted = try await workspace.performChanges([Model.self]) { transaction -> [Model] in
            doomed.filter { model in
              guard let request = deletion(model) else { return false }
              return (try? transaction.submit(request)) != nil
            }
          }
          for model in deleted { objects[key(model)] = nil }
          tally.deleted = deleted.count
          if tally.deleted != doomed.count { complain("\(doomed.count - tally.deleted) objects could not be deleted") }
          check(workspace, "after deletion")
          await workspace.shutdown()
          workspace = open()
          check(workspace, "opened again")
          await workspace.shutdown()
          return tally
        }
      }
    }

    """#
}
