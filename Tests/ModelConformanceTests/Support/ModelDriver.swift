/// The part of the Swift program that is the same for all schemas, after `DriverSupport.values`.
enum ModelDriver {
  static let source = #"""
    import Dflat

    extension Random {
      mutating func pick<T>(_ choices: [T]) -> T { choices[next(choices.count)] }
    }

    /// The order of keys in a buffer: strings by their bytes.
    func before(_ lhs: String, _ rhs: String) -> Bool { lhs.utf8.lexicographicallyPrecedes(rhs.utf8) }
    func before(_ lhs: Bool, _ rhs: Bool) -> Bool { !lhs && rhs }
    func before<T: Comparable>(_ lhs: T, _ rhs: T) -> Bool { lhs < rhs }

    func bytes(of object: some FlatBuffersEncodable) -> [UInt8] {
      var builder = FlatBufferBuilder()
      let root = object.to(flatBufferBuilder: &builder)
      do { try builder.finish(root) } catch { fatalError("\(error)") }
      return builder.withFinishedBytes { Array($0) }
    }

    struct Entry: Sendable {
      /// The bytes of a random object, and what the accessors see in them; or what is wrong with them.
      let write: @Sendable (inout Random) -> (bytes: [UInt8], text: String)
      /// What the accessors see in the bytes of the object that is read from bytes.
      let print: @Sendable ([UInt8]) -> String

      init<Model: FlatBuffersCodable & Equatable & Sendable, View: FlatBufferTableView>(
        _: Model.Type, _: View.Type, random: @escaping @Sendable (inout Random) -> Model,
        print: @escaping @Sendable (View, inout Output) -> Void
      ) {
        let see: @Sendable ([UInt8]) -> String = { bytes in
          guard let view = View(ByteBuffer(bytes)) else { return "no root" }
          var output = Output()
          print(view, &output)
          return output.text
        }
        write = { r in
          let object = random(&r)
          let bytes = Driver.bytes(of: object)
          guard let again = try? Model(verifying: Data(bytes)) else { return (bytes, "not valid") }
          // Not a number is not equal to itself, and neither are two objects that hold it.
          if again == Model.from(data: Data(bytes)), again != object { return (bytes, "another object") }
          if Driver.bytes(of: again) != bytes { return (bytes, "other bytes") }
          return (bytes, see(bytes))
        }
        self.print = { bytes in
          guard let object = try? Model(verifying: Data(bytes)) else { return "not valid" }
          return see(Driver.bytes(of: object))
        }
      }
    }

    func run() async throws {
      let arguments = CommandLine.arguments
      var writer = Writer()
      switch arguments[1] {
      case "write":
        for (schema, tables) in entries.enumerated() {
          for object in 0..<Int(arguments[3])! {
            var r = Random(UInt64(arguments[2])! &* 1000 &+ UInt64(schema * 7919 + object))
            let table = r.next(tables.count)
            let (bytes, text) = tables[table].write(&r)
            for number in [schema, table, 0, 0] { writer.number(number) }
            writer.chunk(bytes)
            writer.chunk(Array(text.utf8))
            writer.number(0)
          }
        }
      case "store":
        var tally = Tally()
        for (place, store) in stores.enumerated() {
          let path = arguments[4] + "-store\(place)"
          let one = try await store.run(UInt64(arguments[2])! &* 1000 &+ UInt64(place), Int(arguments[3])!, path)
          tally.created += one.created
          tally.refused += one.refused
          tally.updated += one.updated
          tally.deleted += one.deleted
          tally.queries += one.queries
          tally.found += one.found
          tally.complaints += one.complaints.map { "schema \(place): \($0)" }
        }
        for number in [tally.created, tally.refused, tally.updated, tally.deleted, tally.queries, tally.found] {
          writer.number(number)
        }
        for complaint in tally.complaints { writer.chunk(Array(complaint.utf8)) }
      default:
        var reader = Reader(bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[2]))))
        while reader.position < reader.bytes.count {
          let entry = entries[reader.number()][reader.number()]
          writer.chunk(Array(entry.print(reader.chunk()).utf8))
        }
      }
      try Data(writer.bytes).write(to: URL(fileURLWithPath: arguments.last!))
    }
    try await run()
    """#
}
