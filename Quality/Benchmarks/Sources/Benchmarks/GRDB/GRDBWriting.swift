import GRDB

/// A kind of record that writing is timed with, as an app would write it with GRDB.
protocol WrittenRecord: FetchableRecord, MutablePersistableRecord, Equatable {
  associatedtype Object: WrittenObject
  var id: Int64? { get set }

  init(_ object: Object)
  /// Makes the table, too.
  static func insert(_ records: [Self], into pool: DatabasePool) throws
  /// The same, in a transaction for each.
  static func insertEach(_ records: [Self], into pool: DatabasePool) throws
  /// Sets the priority of each.
  static func update(_ records: inout [Self], _ step: Int32, in pool: DatabasePool) throws
  /// Sets the priority of each, and a tag of another length.
  static func updateSize(_ records: inout [Self], _ step: Int32, in pool: DatabasePool) throws
  /// Sets the priority of each, in a transaction for each.
  static func updateEach(_ records: inout [Self], _ step: Int32, in pool: DatabasePool) throws
  static func delete(_ records: [Self], in pool: DatabasePool) throws
}

extension DatabasePool {
  /// A pool, which uses a log and synchronizes as the store does.
  static func benchmarked(path: String, full: Bool = false) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
    }
    return try DatabasePool(path: path, configuration: configuration)
  }

  /// Has the log put into the file, and closes it.
  ///
  /// The last connection that a pool closes only reads, so SQLite does not put the log into the file then.
  func closeWithEmptyLog() throws {
    _ = try writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try close()
  }
}

extension GRDBDoc: WrittenRecord {
  static func insert(_ documents: [GRDBDoc], into pool: DatabasePool) throws {
    try pool.write { database in
      try createTable(in: database)
      for var document in documents { try document.insert(database) }
    }
  }

  static func insertEach(_ documents: [GRDBDoc], into pool: DatabasePool) throws {
    try pool.write { try createTable(in: $0) }
    for document in documents {
      try pool.write { database in
        var document = document
        try document.insert(database)
      }
    }
  }

  static func update(_ documents: inout [GRDBDoc], _ step: Int32, in pool: DatabasePool) throws {
    try pool.write { database in
      for number in documents.indices {
        documents[number].priority = updatedPriority(number, step)
        try documents[number].update(database)
      }
    }
  }

  static func updateSize(_ documents: inout [GRDBDoc], _ step: Int32, in pool: DatabasePool) throws {
    try pool.write { database in
      for number in documents.indices {
        documents[number].priority = updatedPriority(number, step)
        documents[number].tag = resizedTag(number)
        try documents[number].update(database)
      }
    }
  }

  static func updateEach(_ documents: inout [GRDBDoc], _ step: Int32, in pool: DatabasePool) throws {
    for number in documents.indices {
      documents[number].priority = updatedPriority(number, step)
      let document = documents[number]
      try pool.write { try document.update($0) }
    }
  }

  static func delete(_ documents: [GRDBDoc], in pool: DatabasePool) throws {
    try pool.write { database in
      for document in documents { _ = try document.delete(database) }
    }
  }
}

extension GRDBPost: WrittenRecord {
  static func insert(_ posts: [GRDBPost], into pool: DatabasePool) throws {
    try pool.write { database in
      try createTable(in: database)
      for var post in posts { try post.insert(database) }
    }
  }

  static func insertEach(_ posts: [GRDBPost], into pool: DatabasePool) throws {
    try pool.write { try createTable(in: $0) }
    for post in posts {
      try pool.write { database in
        var post = post
        try post.insert(database)
      }
    }
  }

  static func update(_ posts: inout [GRDBPost], _ step: Int32, in pool: DatabasePool) throws {
    try pool.write { database in
      for number in posts.indices {
        posts[number].priority = updatedPriority(number, step)
        try posts[number].update(database)
      }
    }
  }

  static func updateSize(_ posts: inout [GRDBPost], _ step: Int32, in pool: DatabasePool) throws {
    try pool.write { database in
      for number in posts.indices {
        posts[number].priority = updatedPriority(number, step)
        posts[number].tag = resizedTag(number)
        try posts[number].update(database)
      }
    }
  }

  static func updateEach(_ posts: inout [GRDBPost], _ step: Int32, in pool: DatabasePool) throws {
    for number in posts.indices {
      posts[number].priority = updatedPriority(number, step)
      let post = posts[number]
      try pool.write { try post.update($0) }
    }
  }

  static func delete(_ posts: [GRDBPost], in pool: DatabasePool) throws {
    try pool.write { database in
      for post in posts { _ = try post.delete(database) }
    }
  }
}
