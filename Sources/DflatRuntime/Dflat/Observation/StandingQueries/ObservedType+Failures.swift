/// The reads for the subscribers of one type that have failed, until all of them have succeeded.
struct FailedReads {
  /// The rows of subscribed objects that could not be read.
  fileprivate(set) var rows: Set<Int64> = []
  /// The errors that the error handler was told of.
  private var reported: Set<String> = []
  fileprivate var retries = ReadRetries()

  /// Records an error. The error handler is told of each only once, however many queries and attempts fail with it.
  mutating func note(_ error: String) -> (isNew: Bool, pause: Double?) {
    (reported.insert(error).inserted, retries.request())
  }

  /// Forgets the errors: a later one is a new failure.
  fileprivate mutating func end() {
    reported = []
    retries.end()
  }
}

/// Reads that have failed, and are tried again after a pause: the store may be in order long before its next commit.
extension ObservedType {
  /// Records that a read has failed.
  ///
  /// - Parameters:
  ///   - rowid: the row of a subscribed object; nil if it was a query, or the look-up of an object.
  ///   - error: the description of the error.
  /// - Returns: whether the error handler has to be told, and after how many seconds the caller has to call `beginRetry`;
  ///   nil if somebody else is about to.
  package func noteFailure(ofReading rowid: Int64?, _ error: String) -> (isNew: Bool, pause: Double?) {
    if let rowid, isObserved(rowid) { failedReads.rows.insert(rowid) }
    return failedReads.note(error)
  }

  /// Requests fetches of the queries that are not current. Returns the rows and objects that have to be read as well.
  package func beginRetry(_ deliveries: inout Deliveries) -> (rows: Set<Int64>, objects: [UnplacedObject]) {
    failedReads.retries.begin()
    for query in outdated.values { request(query, &deliveries) }
    // A read that began before a subscriber came may have succeeded after the subscriber's own read failed.
    return (failedReads.rows.union(awaitingReads.keys), unplacedObjects)
  }

  /// Records that a row was read, or is no longer subscribed to.
  package func noteRead(_ rowid: Int64) {
    failedReads.rows.remove(rowid)
    endFailuresIfAllIsRead()
  }

  /// Ends the failures if all reads that failed have succeeded since, or are no longer needed.
  func endFailuresIfAllIsRead() {
    if outdated.isEmpty, failedReads.rows.isEmpty, unplacedObjects.isEmpty { failedReads.end() }
  }
}
