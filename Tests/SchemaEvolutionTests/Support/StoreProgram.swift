import ConformanceSupport
import Emitters
import FBSSchema
import Foundation
import TestSupport

/// An app of one version of many schemas: a Swift program of their generated code and the runtime, which writes objects into
/// stores and says what it reads in them.
struct StoreProgram {
  private let program: URL
  /// The pairs whose schemas it has, each with the place of its entry.
  private var entries: [Int: Int] = [:]
  /// How often it ran. Its input is kept beside it, for whoever looks for a mistake.
  private var runs = 0

  /// - Parameters:
  ///   - models: By number of pair, a schema; each in a namespace of its own.
  ///   - folder: Where the sources and the program are, in a folder `name`.
  init(_ name: String, _ models: [(number: Int, schema: Schema)], in folder: URL) throws {
    let folder = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    program = folder.appendingPathComponent("driver")
    var sources: [String] = []
    var text = "import Dflat\n\nlet entries: [any Stored] = [\n"
    for (index, model) in models.enumerated() {
      for file in try CheckedSchema(schema: model.schema, emitters: StorePair.emitters).generator?.files() ?? [] {
        let name = "p\(model.number)_" + file.name
        try Data(file.content).write(to: folder.appendingPathComponent(name))
        sources.append(name)
      }
      text += Self.entry(model.schema)
      entries[model.number] = index
    }
    try Data((text + "]\n").utf8).write(to: folder.appendingPathComponent("entries.swift"))
    try Data(Self.source.utf8).write(to: folder.appendingPathComponent("main.swift"))
    try buildSwift(
      ["main.swift", "entries.swift"] + sources.sorted(),
      modules: [
        "FlatBuffersCore", "TextFolding", "Dflat", "DflatEngine", "SQLiteDflat", "PostgresLayout", "PostgresDflat",
      ],
      more: [
        "-I", packageFolder.appendingPathComponent("Sources/CSQLite").path, "-lsqlite3",
        "-I", packageFolder.appendingPathComponent("Sources/CPostgres").path, "-lpq",
      ] + Self.libpqOptions(), in: folder)
  }

  /// Where libpq is on this system.
  private static func libpqOptions() throws -> [String] {
    let folders = try ["--includedir", "--libdir"].map { option in
      String(decoding: try runTool("pg_config", [option]), as: UTF8.self).trimmingCharacters(
        in: .whitespacesAndNewlines)
    }
    return ["-Xcc", "-I\(folders[0])", "-L\(folders[1])"]
  }

  /// What the program knows of a root table: how to ask for an object by each of its fields, and by its key's order.
  private static func entry(_ schema: Schema) -> String {
    guard let root = schema.files.compactMap(\.rootTable).first.map({ schema[$0] }) else { return "" }
    var queries: [String] = []
    for field in root.fields where !field.isDeprecated {
      switch field.type {
      case .scalar, .enumeration, .string:
        queries.append("    (\"\(field.name)\", { equal(\(root.name).\(field.name), $0.\(field.name)) })")
        // A UUID or a URL has no folding.
        guard field.type == .string, field.mapping == nil else { continue }
        queries.append(
          "    (\"\(field.name) folded\", { equal(\(root.name).\(field.name).folded, $0.\(field.name)) })")
      case .vector(of: .string):
        queries.append("    (\"\(field.name)\", { hold(\(root.name).\(field.name), $0.\(field.name)) })")
        queries.append(
          "    (\"\(field.name) folded\", { hold(folded: \(root.name).\(field.name), $0.\(field.name)) })")
      case .vector(of: .scalar) where !field.declaration.has("nested_flatbuffer"):
        queries.append("    (\"\(field.name)\", { hold(\(root.name).\(field.name), $0.\(field.name)) })")
      case .structure(let id):
        guard let inner = schema[id].fields.first(where: { if case .scalar = $0.type { true } else { false } }) else {
          continue
        }
        let path = field.presence == .required ? "." : "?."
        queries.append(
          "    (\"\(field.name)\", { equal(\(root.name).\(field.name).\(inner.name), $0.\(field.name)\(path)\(inner.name)) })"
        )
      case .table, .union, .vector: continue
      }
    }
    let keys = root.primaryKey.map { "\(root.name).\($0.name).ascending" }
    return """
      Entry<\(root.name)>(
          create: { try $1.submit(\(root.name)ChangeRequest.creationRequest($0)) },
          change: { object, context in try \(root.name)ChangeRequest.changeRequest(object).map { try context.submit($0) } },
          upsert: { try $1.submit(\(root.name)ChangeRequest.upsertRequest($0)) },
          touch: \(touch(root)),
          order: [\(keys.joined(separator: ", "))],
          queries: [
        \(queries.joined(separator: ",\n  "))
          ]),

      """
  }

  /// Changes a field that every version shows as it is stored, or takes the change back: what makes an app store an object
  /// anew. Nothing if there is no such field.
  private static func touch(_ root: TableDefinition) -> String {
    let field = root.fields.first { field in
      guard !field.isDeprecated, !field.isPrimary, !field.indexes.contains(where: \.isUnique) else { return false }
      switch field.type {
      case .scalar: return field.presence != .optional
      case .string: return true
      default: return false
      }
    }
    guard let name = field?.name else { return "nil" }
    return """
      { object, isBack, context in
            guard let request = \(root.name)ChangeRequest.changeRequest(object) else { return nil }
            request.\(name) = isBack ? object.\(name) : other(object.\(name))
            return try context.submit(request)
          }
      """
  }

  /// A job for the program: what to do with the store of a pair.
  struct Job: Encodable {
    fileprivate var entry = 0
    let number: Int
    /// The path of a SQLite file, or the connection string of a PostgreSQL database.
    let store: String
    /// Objects to store before all that is there is read, in base 64.
    let objects: [Data]
    /// Whether each object is changed after it was read.
    let isUpdated: Bool
    /// Whether each object is stored anew after it was read, with the values that the app shows.
    let isRewritten: Bool

    init(
      number: Int, store: String, objects: [Data] = [], isUpdated: Bool = false, isRewritten: Bool = false
    ) {
      (self.number, self.store, self.objects) = (number, store, objects)
      (self.isUpdated, self.isRewritten) = (isUpdated, isRewritten)
    }
  }

  /// What the program read in a store.
  struct Reading: Decodable, Sendable {
    let number: Int
    /// By row, the object as its properties have it.
    let rows: [String: Dump]
    /// The rows in the order of the primary key.
    let order: [String]
    /// By field, the rows that were found by their own value of it.
    let found: [String: [String]]
    /// What was not as it had been after each object was changed and written again.
    let changes: [String]
    /// Whether the objects were stored anew.
    let isRewritten: Bool
    /// What the runtime reported.
    let errors: [String]
  }

  mutating func run(_ jobs: [Job]) throws -> [Int: Reading] {
    let jobs = jobs.map { job in
      var job = job
      job.entry = entries[job.number] ?? -1
      return job
    }
    let input = try JSONEncoder().encode(jobs)
    try input.write(to: program.deletingLastPathComponent().appendingPathComponent("jobs-\(runs).json"))
    runs += 1
    let output = try runTool(program.path, [], input: input)
    let readings = try JSONDecoder().decode([Reading].self, from: output)
    return Dictionary(uniqueKeysWithValues: readings.map { ($0.number, $0) })
  }
}

/// A value as a generated property has it.
indirect enum Dump: Decodable, Equatable, Sendable {
  case nothing
  /// A whole number, or the bits of a real one, with the name of an enum's case.
  case number(String, name: String?)
  case text(String)
  case list([Dump])
  case members([String: Dump])
  /// A union's member.
  case choice(String, Dump)

  private enum Key: CodingKey { case n, r, e, t, l, m, c, v }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    if let number = try values.decodeIfPresent(String.self, forKey: .n) {
      self = .number(number, name: try values.decodeIfPresent(String.self, forKey: .e))
    } else if let bits = try values.decodeIfPresent(String.self, forKey: .r) {
      self = .number("r" + bits, name: nil)
    } else if let text = try values.decodeIfPresent(String.self, forKey: .t) {
      self = .text(text)
    } else if let list = try values.decodeIfPresent([Dump].self, forKey: .l) {
      self = .list(list)
    } else if let members = try values.decodeIfPresent([String: Dump].self, forKey: .m) {
      self = .members(members)
    } else if let choice = try values.decodeIfPresent(String.self, forKey: .c) {
      self = .choice(choice, try values.decode(Dump.self, forKey: .v))
    } else {
      self = .nothing
    }
  }
}

extension StoreProgram {
  /// The part that is the same for all schemas. Objects are told by their properties, as an app sees them.
  private static let source = #"""
    import Dflat
    import FlatBuffersCore
    import Foundation
    import PostgresDflat
    import SQLiteDflat

    func integer(_ value: some BinaryInteger) -> [String: Any] { ["n": "\(value)"] }
    func raw(_ value: some RawRepresentable) -> String { "\(value.rawValue)" }

    /// A value as JSON, whatever it is.
    func json(_ value: Any) -> [String: Any] {
      switch value {
      case let value as Date: return ["t": "\(value.timeIntervalSince1970) s"]
      case let value as Duration: return ["t": "\(value)"]
      case let value as Decimal: return ["t": "\(NSDecimalNumber(decimal: value).doubleValue)"]
      case let value as UUID: return ["t": value.uuidString.lowercased()]
      case let value as URL: return ["t": value.absoluteString]
      case let value as String: return ["t": value]
      case let value as Bool: return ["n": value ? "1" : "0"]
      case let value as Float: return ["r": "\(value.isNaN ? Double.nan.bitPattern : Double(value).bitPattern)"]
      case let value as Double: return ["r": "\(value.isNaN ? Double.nan.bitPattern : value.bitPattern)"]
      case let value as any BinaryInteger: return integer(value)
      default: break
      }
      let mirror = Mirror(reflecting: value)
      switch mirror.displayStyle {
      case .optional: return mirror.children.first.map { json($0.value) } ?? [:]
      case .collection: return ["l": mirror.children.map { json($0.value) }]
      case .enum:
        if let value = value as? any RawRepresentable { return ["e": "\(value)", "n": raw(value)] }
        guard let member = mirror.children.first else { return ["c": "\(value)", "v": [String: Any]()] }
        return ["c": member.label ?? "", "v": json(member.value)]
      default:
        if let value = value as? any OptionSet { return ["n": raw(value)] }
        // A box stands for what is in it.
        if "\(type(of: value))".hasPrefix("Indirect<") {
          guard let box = mirror.children.first.flatMap({ Mirror(reflecting: $0.value).children.first }) else { return [:] }
          return Mirror(reflecting: box.value).children.first.map { json($0.value) } ?? [:]
        }
        var members: [String: Any] = [:]
        for child in mirror.children where !["_rowid", "_commitVersion"].contains(child.label) {
          guard let label = child.label else { continue }
          members[label.hasPrefix("_") ? String(label.dropFirst()) : label] = json(child.value)
        }
        return ["m": members]
      }
    }

    func equal<Value: QueryConstant, Element>(_ field: QueryExpression<Value, Element>, _ value: Value) -> QueryExpression<Bool, Element> {
      field == value
    }
    func equal<Value: QueryConstant, Element>(_ field: QueryExpression<Value, Element>, _ value: Value?) -> QueryExpression<Bool, Element> {
      value.map { field == $0 } ?? field.isNull
    }

    func hold<Value: QueryConstant, Element>(
      _ field: VectorField<QueryExpression<Value, Element>, Element>, _ values: [Value]
    ) -> QueryExpression<Bool, Element> {
      values.last.map { field.contains($0) } ?? field.isEmpty
    }
    func hold<Element>(
      folded field: VectorField<QueryExpression<String, Element>, Element>, _ values: [String]
    ) -> QueryExpression<Bool, Element> {
      values.last.map { value in field.contains { $0.folded == value } } ?? field.isEmpty
    }

    func other(_ value: Bool) -> Bool { !value }
    func other<Value: FixedWidthInteger>(_ value: Value) -> Value { value &+ 1 }
    func other<Value: BinaryFloatingPoint>(_ value: Value) -> Value { value == 1 ? 2 : 1 }
    func other(_ value: String) -> String { value + "x" }
    func other(_ value: String?) -> String? { (value ?? "") + "x" }

    struct Job: Decodable, Sendable {
      let entry: Int
      let number: Int
      let store: String
      let objects: [Data]
      let isUpdated: Bool
      let isRewritten: Bool
    }

    protocol Stored: Sendable {
      func run(_ job: Job) async -> [String: Any]
    }

    final class Errors: @unchecked Sendable {
      // Unchecked: guarded by the lock.
      private var all: [String] = []
      private let lock = NSLock()
      func add(_ text: String) { lock.withLock { all.append(text) } }
      var texts: [String] { lock.withLock { all } }
    }

    struct Entry<Object: Atom & FlatBuffersEncodable>: Stored {
      let create: @Sendable (Object, any TransactionContext) throws -> UpdatedObject
      let change: @Sendable (Object, any TransactionContext) throws -> UpdatedObject?
      let upsert: @Sendable (Object, any TransactionContext) throws -> UpdatedObject
      let touch: (@Sendable (Object, Bool, any TransactionContext) throws -> UpdatedObject?)?
      let order: [OrderBy<Object>]
      let queries: [(String, @Sendable (Object) -> QueryExpression<Bool, Object>)]

      func run(_ job: Job) async -> [String: Any] {
        let errors = Errors()
        let workspace: any Workspace =
          job.store.hasPrefix("host=")
          ? PostgresWorkspace(connection: job.store) { errors.add("\($0)") }
          : SQLiteWorkspace(filePath: job.store, fileProtectionLevel: .noProtection) { errors.add("\($0)") }
        // Without an object there is nothing to write: the app only reads.
        if !job.objects.isEmpty {
          let create = create
          let isStored = await workspace.performChanges([Object.self]) { (context: any TransactionContext) -> Void in
            for data in job.objects {
              guard let object = try? Object(verifying: data) else { errors.add("what C++ wrote is refused"); continue }
              do { _ = try create(object, context) } catch TransactionError.objectAlreadyExists {
                // Keys and unique fields are random.
              } catch { errors.add("\(error)") }
            }
          }
          if !isStored { errors.add("not stored") }
        }
        func rows() -> [String: Any] {
          Dictionary(workspace.fetch(for: Object.self).all().map { ("\($0._rowid)", json($0)) }) { first, _ in first }
        }
        let objects = Array(workspace.fetch(for: Object.self).all())
        let before = rows()
        let order = workspace.fetch(for: Object.self).all(orderBy: order).map { "\($0._rowid)" }
        var found: [String: [String]] = [:]
        for (field, query) in queries {
          found[field] = objects.filter { object in
            workspace.fetch(for: Object.self).where(query(object)).contains { $0._rowid == object._rowid }
          }.map { "\($0._rowid)" }
        }
        var changes: [String] = []
        if job.isUpdated {
          let (change, upsert) = (change, upsert)
          let upsertOne: @Sendable (Object, any TransactionContext) throws -> UpdatedObject? = { try upsert($0, $1) }
          for (name, body) in [("change", change), ("upsert", upsertOne)] {
            let isStored = await workspace.performChanges([Object.self]) { (context: any TransactionContext) -> Void in
              for object in objects {
                do {
                  switch try body(object, context) {
                  case .updated(let other)?, .identity(let other)?:
                    if other._rowid != object._rowid { errors.add("\(name): row \(object._rowid) became row \(other._rowid)") }
                  case nil: errors.add("\(name): row \(object._rowid) is gone")
                  case .inserted?: errors.add("\(name): row \(object._rowid) is stored once more")
                  case .deleted?: errors.add("\(name): row \(object._rowid) was deleted")
                  }
                } catch { errors.add("\(name): \(error)") }
              }
            }
            if !isStored { errors.add("\(name): not stored") }
            let after = rows()
            if NSDictionary(dictionary: before) != NSDictionary(dictionary: after) { changes.append("\(name): other objects") }
          }
        }
        let touch = job.isRewritten ? touch : nil
        if let touch {
          for isBack in [false, true] {
            let isStored = await workspace.performChanges([Object.self]) { (context: any TransactionContext) -> Void in
              for object in objects {
                do {
                  if try touch(object, isBack, context) == nil { errors.add("touch: row \(object._rowid) is gone") }
                } catch TransactionError.objectAlreadyExists {
                  // What stands for a value that is not known may be the key of another object.
                } catch { errors.add("touch: \(error)") }
              }
            }
            if !isStored { errors.add("touch: not stored") }
          }
        }
        await workspace.shutdown()
        return [
          "number": job.number, "rows": before, "order": order, "found": found, "changes": changes,
          "isRewritten": touch != nil, "errors": errors.texts,
        ]
      }
    }

    let jobs = try JSONDecoder().decode([Job].self, from: FileHandle.standardInput.readToEnd() ?? Data())
    var readings: [[String: Any]] = []
    for job in jobs { readings.append(await entries[job.entry].run(job)) }
    try FileHandle.standardOutput.write(contentsOf: JSONSerialization.data(withJSONObject: readings))
    """#
}
