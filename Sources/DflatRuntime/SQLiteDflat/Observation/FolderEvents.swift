import Dispatch
import Foundation

#if canImport(Darwin)
  import Darwin
#endif

/// Calls a handler when a file of a folder may have been written, by any process.
///
/// Linux reports events of all files in the folder (inotify). Apple's systems report which files of the folder come and
/// go, and writes to each watched file. On other systems, and where the system's resources are exhausted, the handler
/// is called 20 times a second.
///
/// It is used on one queue.
final class FolderEvents {
  /// How often the handler is called where the system reports no events.
  static let pollingInterval = DispatchTimeInterval.milliseconds(50)

  private var sources: [any DispatchSourceProtocol] = []
  private var isSuspended = false

  /// Begins to watch a file and its folder.
  /// - Parameters:
  ///   - path: the path of the file, without symbolic links. Files of the folder whose names begin with its name count,
  ///     too.
  ///   - queue: the queue on which `handler` is called, from now on until `stop()`.
  init(of path: String, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let folder = start == path.startIndex ? "." : String(path[..<start])
    sources = FolderEvents.sources(folder, file: path, String(path[start...]), queue, handler) ?? []
    if sources.isEmpty {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now(), repeating: FolderEvents.pollingInterval)
      timer.setEventHandler(handler: handler)
      sources = [timer]
    }
    for source in sources { source.resume() }
  }

  /// Holds events back until `resume()`, which then calls the handler once for them.
  ///
  /// To handle each write would cost as much as the write, since the system has to wake a thread.
  func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    for source in sources { source.suspend() }
  }

  func resume() {
    guard isSuspended else { return }
    isSuspended = false
    for source in sources { source.resume() }
  }

  deinit { stop() }

  func stop() {
    // A suspended source never completes its cancellation.
    resume()
    for source in sources { source.cancel() }
    sources = []
  }

  #if canImport(Darwin)
    /// Makes the sources that report events.
    ///
    /// - Returns: nil if the system cannot watch the folder.
    private static func sources(
      _ folder: String, file: String, _ name: String, _ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> [any DispatchSourceProtocol]? {
      // The log may be created at any time, and is watched from then on.
      let watcher = LogWatcher(file + "-wal", queue, handler)
      let tell: @Sendable () -> Void = {
        watcher.watchLog()
        handler()
      }
      let events = FolderEvents.source(folder, [.write], queue, tell, cancelled: { watcher.stop() })
      guard let events else { return nil }
      watcher.watchLog()
      return [events]
    }

    /// Makes a source that owns a descriptor of a file or folder, and closes it when it is cancelled.
    ///
    /// A source has one cancel handler: a second one would replace the one that closes the descriptor. So further work
    /// is passed as `cancelled`.
    ///
    /// - Returns: nil if the file cannot be opened.
    private static func source(
      _ path: String, _ events: DispatchSource.FileSystemEvent, _ queue: DispatchQueue,
      _ handler: @escaping @Sendable () -> Void, cancelled: @escaping @Sendable () -> Void = {}
    ) -> (any DispatchSourceFileSystemObject)? {
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: events, queue: queue)
      source.setCancelHandler {
        close(descriptor)
        cancelled()
      }
      source.setEventHandler(handler: handler)
      return source
    }

    /// Watches the log of a database, also after it is replaced. It is used on one queue.
    private final class LogWatcher: @unchecked Sendable {
      // Unchecked: it is used on one queue.
      private let path: String
      private let queue: DispatchQueue
      private let handler: @Sendable () -> Void
      private var log: (any DispatchSourceFileSystemObject)?
      private var identity: FileIdentity?

      init(_ path: String, _ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
        self.path = path
        self.queue = queue
        self.handler = handler
      }

      func watchLog() {
        let current = FileIdentity(at: path)
        guard current != identity else { return }
        stop()
        identity = current
        guard current != nil else { return }
        log = FolderEvents.source(path, [.write, .extend, .delete, .rename], queue, handler)
        // If it cannot be opened now, the folder's next event tries again.
        if log == nil { identity = nil }
        log?.resume()
      }

      func stop() {
        log?.cancel()
        log = nil
      }
    }
  #elseif canImport(Glibc) || canImport(Musl)
    /// Makes the source that reports events.
    ///
    /// - Returns: nil if the system cannot watch the folder.
    private static func sources(
      _ folder: String, file: String, _ name: String, _ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> [any DispatchSourceProtocol]? {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      guard inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)) >= 0 else {
        close(descriptor)
        return nil
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setCancelHandler { close(descriptor) }
      source.setEventHandler { if hasEvent(ofFilesNamed: name, descriptor) { handler() } }
      return [source]
    }

    /// Reads all waiting events.
    ///
    /// - Returns: whether one is about a file whose name begins with `name`, or events were lost.
    private static func hasEvent(ofFilesNamed name: String, _ descriptor: Int32) -> Bool {
      var isFound = false
      withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { buffer in
        while true {
          let count = read(descriptor, buffer.baseAddress, buffer.count)
          guard count > 0 else { return }
          var offset = 0
          while offset + MemoryLayout<inotify_event>.size <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + MemoryLayout<inotify_event>.size + Int(event.len)
            guard end <= count else { return }
            let bytes = buffer[offset + MemoryLayout<inotify_event>.size..<end]
            if bytes.starts(with: name.utf8) || event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isFound = true }
            offset = end
          }
        }
      }
      return isFound
    }
  #else
    private static func sources(
      _ folder: String, file: String, _ name: String, _ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> [any DispatchSourceProtocol]? { nil }
  #endif
}
