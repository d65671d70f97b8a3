import CPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Records whether the server has acknowledged a commit that its standby has not confirmed.
///
/// A server with `synchronous_standby_names` waits for its standby before it answers COMMIT. If somebody cancels the statement
/// meanwhile, it answers that it has committed, and warns: a standby that takes its place then may lack the commit.
/// https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION
final class ReplicationWarning {
  /// Whether the server has warned.
  private(set) var isGiven = false

  /// Listens to what the server notes on a connection. The caller keeps this as long as the connection.
  func listen(to handle: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    // Other notices, such as that a table is there already, are ignored.
    PQsetNoticeReceiver(
      handle,
      { context, result in
        // The text is in the language of the server. The function that warns has this name in all versions.
        guard let context, let function = PQresultErrorField(result, Int32(UInt8(ascii: "R"))),
          strcmp(function, "SyncRepWaitForLSN") == 0
        else { return }
        Unmanaged<ReplicationWarning>.fromOpaque(context).takeUnretainedValue().isGiven = true
      }, context)
  }
}
