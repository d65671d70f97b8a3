// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the sources use of Darwin, with the signatures of Apple's documentation, so that their branches for Apple's systems are
// type-checked on Linux: see AppleBranchTests. What Glibc declares alike comes from there.

import Dispatch
@_exported import Glibc

// MARK: Files

/// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/open.2.html
public var O_EVTONLY: Int32 { 0x8000 }

extension stat {
  public var st_mtimespec: timespec { timespec() }
  public var st_ctimespec: timespec { timespec() }
}

// MARK: Threads

public func pthread_key_create(
  _: UnsafeMutablePointer<pthread_key_t>!, _: (@convention(c) (UnsafeMutableRawPointer) -> Void)!
) -> Int32 { fatalError() }

// MARK: Dispatch

/// https://developer.apple.com/documentation/dispatch/dispatchsourcefilesystemobject
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
  var handle: Int32 { get }
  var data: DispatchSource.FileSystemEvent { get }
  var mask: DispatchSource.FileSystemEvent { get }
}

extension DispatchSource {
  /// https://developer.apple.com/documentation/dispatch/dispatchsource/makefilesystemobjectsource(filedescriptor:eventmask:queue:)
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: DispatchSource.FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { fatalError() }
}

// MARK: Processes

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer

public func posix_spawn_file_actions_init(_: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 {
  fatalError()
}
public func posix_spawn_file_actions_destroy(_: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 {
  fatalError()
}
public func posix_spawn_file_actions_adddup2(
  _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _: Int32, _: Int32
) -> Int32 { fatalError() }
public func posix_spawnattr_init(_: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
public func posix_spawnattr_destroy(_: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
public func posix_spawnattr_setsigdefault(
  _: UnsafeMutablePointer<posix_spawnattr_t?>!, _: UnsafePointer<sigset_t>!
) -> Int32 { fatalError() }
public func posix_spawnattr_setsigmask(
  _: UnsafeMutablePointer<posix_spawnattr_t?>!, _: UnsafePointer<sigset_t>!
) -> Int32 { fatalError() }
public func posix_spawnattr_setpgroup(_: UnsafeMutablePointer<posix_spawnattr_t?>!, _: pid_t) -> Int32 { fatalError() }
public func posix_spawnattr_setflags(_: UnsafeMutablePointer<posix_spawnattr_t?>!, _: Int16) -> Int32 { fatalError() }
public func posix_spawn(
  _: UnsafeMutablePointer<pid_t>!, _: UnsafePointer<CChar>!, _: UnsafePointer<posix_spawn_file_actions_t?>!,
  _: UnsafePointer<posix_spawnattr_t?>!, _: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
  _: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { fatalError() }

/// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/pthread_cond_timedwait_relative_np.3.html
public func pthread_cond_timedwait_relative_np(
  _: UnsafeMutablePointer<pthread_cond_t>, _: UnsafeMutablePointer<pthread_mutex_t>, _: UnsafePointer<timespec>?
) -> Int32 { 0 }
