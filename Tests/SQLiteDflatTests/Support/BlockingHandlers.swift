import Dflat
import Dispatch
import EngineTestSupport
import Foundation
import Golden_post
import TestSupport

@testable import SQLiteDflat

/// Random transactions whose handlers block, and checks of what is promised to all others.
final class BlockingHandlers: Sendable {
  /// Where closures and handlers run.
  enum Queue: String, Codable, Sendable {
    case none, serial, concurrent
  }

  /// How many seconds each wait may take: many times as long as all of it does.
  private static let limit = patience

  /// A transaction that is asked for now or later. A thread that waits for one that is refused goes on, too.
  private final class Asked: Sendable {
    let closureBegins = Gate()
    let handlerBegins = Gate()
    let handlerCalls = Locked(0)
    let isStored = Locked(false)
  }

  private struct Log {
    /// The transactions of each type in the order in which they were asked for, by number.
    var asked: [Int: [Int]] = [:]
    /// The transactions of each type in the order in which their handlers have begun, by number.
    var begun: [Int: [Int]] = [:]
    /// The titles that the subscriber has been told of, and is done with.
    var told: Set<String> = []
    var problems: [String] = []
    /// Whether a shutdown was asked for. What comes then may be refused.
    var isShutDown = false
    /// Whether all has ended, but for callbacks that go on.
    var isClosing = false
    var handlersThatRun = 0
    var errors = 0
  }

  private let workspace: SQLiteWorkspace
  private let queue: Queue
  private let count: Int
  private let seed: Int
  private let asked: [Asked]
  /// Whether a handler asks for a shutdown in the end.
  private let shutsDown: Bool
  /// Whether callbacks of one subscriber start transactions, and wait for them.
  private let startsInCallbacks: Bool
  private let log = Locked(Log())
  /// Held while a transaction is asked for, so that the order is known.
  private let order = NSLock()
  /// Numbers of transactions that handlers ask for: above those that threads ask for.
  private let extra: Locked<Int>
  private let next = Locked(0)
  private let extraBegun = Locked(0)

  /// Runs `count` transactions and those that their handlers start.
  ///
  /// - Returns: what went wrong.
  static func run(seed: Int, count: Int, queue: Queue) -> [String] {
    let folder = NSTemporaryDirectory() + "dflat-blocking-" + UUID().uuidString
    let path = folder + "/store.sqlite3"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let first = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      let isMade = PendingTransaction([Post.self], in: first) {
        $0.try(submit: PostChangeRequest.creationRequest(Post(title: "first")))
      }
      guard isMade.outcome() == true else { return ["the file cannot be made"] }
      first.shutdown()
      let handlers = BlockingHandlers(path, seed: seed, count: count, queue: queue)
      // What fails, and is told to the error handler.
      try handlers.workspace.addTrigger(
        "refusal BEFORE INSERT ON post WHEN NEW.__pk0 LIKE 'refused%' BEGIN SELECT RAISE(ABORT, 'refused'); END")
      return handlers.run(path)
    } catch {
      return ["\(error)"]
    }
  }

  private init(_ path: String, seed: Int, count: Int, queue: Queue) {
    (self.seed, self.count, self.queue) = (seed, count, queue)
    let target: DispatchQueue? =
      switch queue {
      case .none: nil
      case .serial: DispatchQueue(label: "target")
      case .concurrent: DispatchQueue(label: "target", attributes: .concurrent)
      }
    let reported = Locked<@Sendable (any Error) -> Void>({ _ in })
    workspace = SQLiteWorkspace(
      filePath: path, fileProtectionLevel: .noProtection, targetQueue: target, errorHandler: { reported.value($0) })
    asked = (0..<count).map { _ in Asked() }
    shutsDown = seed % 3 == 0
    startsInCallbacks = seed % 2 == 0
    extra = Locked(count)
    reported.value = { [weak self] in self?.receive($0) }
    workspace.waitForCallbacks()
  }

  // MARK: Running

  private func run(_ path: String) -> [String] {
    // The one is told in time, whatever the other does.
    let subscriptions = [subscribe(waits: true), subscribe(waits: false)]
    let threads = BackgroundThreads(3) { number in
      var random = SeededGenerator(seed: self.seed * 16 + number)
      while let transaction = self.takeNumber() {
        self.ask(transaction, &random)
        // The last thread is one that waits for what it asks for.
        if number == 2 { self.asked[transaction].handlerBegins.wait() }
        if random.chance(30) { usleep(UInt32(random.next(3_000))) }
        if random.chance(20) { _ = self.workspace.fetch(for: Post.self).where(Post.priority == 1).count }
      }
    }
    let hasEnded =
      threads.end(within: Self.limit)
      && asked.allSatisfy { $0.handlerBegins.wait(Self.limit) }
      && eventually(within: Self.limit) {
        log.value.handlersThatRun == 0 && extraBegun.value == extra.value - count
      }
    guard hasEnded else {
      let missing = asked.indices.filter { !asked[$0].handlerBegins.isOpen }
      return log.value.problems + ["does not end: \(missing.count) handlers do not begin: \(missing.prefix(10))"]
    }
    for each in subscriptions { each.cancel() }
    // A callback that has begun may start a transaction still, which is refused.
    log.change { $0.isClosing = true }
    let isClosed = Gate()
    workspace.shutdown { isClosed.open() }
    guard isClosed.wait(Self.limit) else { return log.value.problems + ["the shutdown does not end"] }
    return check(path)
  }

  private func takeNumber() -> Int? {
    next.change { next in
      defer { next += 1 }
      return next < count ? next : nil
    }
  }

  /// The types of a transaction: posts in most, since subscribers observe them.
  private static func types(_ random: inout SeededGenerator) -> [Int] {
    random.pick([[0], [0], [0], [1], [2], [0, 1], [1, 2]])
  }

  private static let classes: [any Atom.Type] = [
    Post.self, Thing.self, RegisterType.all[0].type, RegisterType.all[1].type,
  ]

  /// The type of the transactions that the error handler waits for. No other transaction names it: an error of `submit` is
  /// reported before the closure has returned, and until then transactions of the closure's types do not begin.
  private static let errorHandlersType = 3

  /// Asks for a transaction of a thread, whose handler does anything.
  private func ask(_ number: Int, _ random: inout SeededGenerator) {
    let types = Self.types(&random)
    let asked = asked[number]
    let handlerSeed = Int(truncatingIfNeeded: random.next() >> 1)
    let isRefused = types.contains(0) && random.chance(5)
    let isAborted = random.chance(5)
    let title = isRefused ? "refused \(number)" : "post \(number)"
    let parts = random.pick([1, 1, 1, 1, 3, 100])
    // A fetch in a transaction that has failed is an error of its own, which is told on the closure's thread.
    let (fetches, pause) = (!isRefused && random.chance(20), random.pick([0, 0, 0, 0, 2_000]))
    order.withLock {
      log.change { log in for type in types { log.asked[type, default: []].append(number) } }
      workspace.performChanges(types.map { Self.classes[$0] }) { [self] context in
        asked.closureBegins.open()
        submit(number, title, types, parts, context)
        if fetches, types.contains(0) {
          let found = workspace.fetch(for: Post.self).where(Post.title == title).count
          if found != 1 { report("\(number) does not see its post") }
        }
        usleep(UInt32(pause))
        if isAborted { context.abort() }
      } completionHandler: { [self] isStored in
        log.change { log in
          for type in types { log.begun[type, default: []].append(number) }
          log.handlersThatRun += 1
          let isTold = !isStored || !types.contains(0) || log.isShutDown || log.told.contains(title)
          if !isTold { log.problems.append("\(number) completes before the subscriber has been told") }
          if isStored != !(isRefused || isAborted), !log.isShutDown {
            log.problems.append("\(number) completes with \(isStored)")
          }
        }
        asked.handlerCalls.change { $0 += 1 }
        asked.isStored.value = isStored
        asked.closureBegins.open()
        asked.handlerBegins.open()
        var random = SeededGenerator(seed: handlerSeed)
        block(after: number, &random)
        log.change { $0.handlersThatRun -= 1 }
      }
    }
  }

  private func submit(
    _ number: Int, _ title: String, _ types: [Int], _ parts: Int, _ context: any TransactionContext
  ) {
    for type in types {
      switch type {
      case 0:
        context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 1)))
        for part in 1..<max(parts, 1) where parts > 1 {
          context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(title).\(part)")))
        }
      case 1:
        for part in 0..<parts {
          let thing = Thing(id: Int64(number * 1_000 + part), note: "\(number).\(part)")
          context.try(submit: ThingChangeRequest.creation(thing))
        }
      default:
        do { try RegisterType.all[type - 2].create(context, Int64(number), Int64(number)) } catch {
          report("\(number): \(error)")
        }
      }
    }
  }

  // MARK: What blocks

  /// What a completion handler does.
  private func block(after number: Int, _ random: inout SeededGenerator) {
    if shutsDown, number == count * 3 / 4 {
      log.change { $0.isShutDown = true }
      // On a serial queue, a handler that waited for the end of all others would keep them from being called.
      return queue == .serial ? workspace.shutdown {} : workspace.shutdown()
    }
    switch random.next(queue == .none ? 10 : 5) {
    case 0, 1: break
    case 2: usleep(UInt32(random.next(20_000)))
    case 3: _ = workspace.fetch(for: Post.self).count()
    case 4: _ = start(&random)
    case 5: wait(start(&random), "that a handler has started")
    case 6: asked[other(than: number, &random)].closureBegins.wait(Self.limit)
    default: asked[other(than: number, &random)].handlerBegins.wait(Self.limit)
    }
  }

  /// A transaction shortly before or after another.
  private func other(than number: Int, _ random: inout SeededGenerator) -> Int {
    min(max(number + random.next(30) - 8, 0), count - 1)
  }

  /// Starts a small transaction of any type, from within a handler.
  private func start(_ random: inout SeededGenerator) -> Asked { start(of: Self.types(&random)) }

  private func start(of types: [Int]) -> Asked {
    let number = extra.change { extra in
      defer { extra += 1 }
      return extra
    }
    let asked = Asked()
    order.withLock {
      log.change { log in for type in types { log.asked[type, default: []].append(number) } }
      workspace.performChanges(types.map { Self.classes[$0] }) { [self] context in
        submit(number, "post \(number)", types, 1, context)
      } completionHandler: { [self] isStored in
        log.change { log in
          for type in types { log.begun[type, default: []].append(number) }
          if !isStored, !log.isShutDown, !log.isClosing {
            log.problems.append("\(number), of a handler, is not stored")
          }
        }
        asked.isStored.value = isStored
        asked.handlerBegins.open()
        extraBegun.change { $0 += 1 }
      }
    }
    return asked
  }

  private func wait(_ transaction: Asked, _ what: String) {
    if !transaction.handlerBegins.wait(Self.limit) { report("a transaction \(what) does not complete") }
  }

  private func report(_ problem: String) { log.change { $0.problems.append(problem) } }

  private func receive(_ error: any Error) {
    let number = log.change { log in
      log.errors += 1
      if !"\(error)".contains("refused") { log.problems.append("\(error)") }
      return log.errors
    }
    var random = SeededGenerator(seed: seed * 31 + number)
    if random.chance(50) { usleep(UInt32(random.next(10_000))) }
    if random.chance(50) {
      let transaction = start(of: [Self.errorHandlersType])
      if queue == .none { wait(transaction, "of the error handler") }
    }
  }

  /// Subscribes to posts, with a callback that notes what it has been told of.
  ///
  /// - Parameter waits: whether it notes nothing, but starts transactions and waits for them.
  private func subscribe(waits: Bool) -> any WorkspaceSubscription {
    let random = Locked(SeededGenerator(seed: seed * 7 + (waits ? 1 : 0)))
    let result = workspace.fetch(for: Post.self).where(Post.priority == 1)
    return workspace.subscribe(fetchedResult: result) { [self] posts in
      if waits {
        guard startsInCallbacks else {
          usleep(random.change { UInt32($0.next(5_000)) })
          return
        }
        guard random.change({ $0.chance(10) }) else { return }
        // Two: the second is started while other calls may be made on another thread.
        for _ in 0..<2 {
          let transaction = random.change { start(&$0) }
          if queue == .none { wait(transaction, "of a callback") }
        }
      } else {
        if random.change({ $0.chance(30) }) { usleep(random.change { UInt32($0.next(5_000)) }) }
        let titles = posts.map(\.title)
        log.change { $0.told.formUnion(titles) }
      }
    }
  }

  // MARK: Checking

  private func check(_ path: String) -> [String] {
    let log = log.value
    var problems = log.problems
    for (number, each) in asked.enumerated() where each.handlerCalls.value != 1 {
      problems.append("the handler of \(number) is called \(each.handlerCalls.value) times")
    }
    for (type, asked) in log.asked {
      let begun = log.begun[type] ?? []
      if begun.sorted() != asked.sorted() { problems.append("not each handler of type \(type) begins once") }
      let positions = Dictionary(uniqueKeysWithValues: asked.enumerated().map { ($1, $0) })
      let swaps = zip(begun, begun.dropFirst()).count { positions[$0, default: 0] > positions[$1, default: 0] }
      // A thread that is about to call a handler may be kept from its processor until another one has called the next.
      if !log.isShutDown, swaps > 3 + begun.count / (queue == .serial ? 1_000 : 20) {
        problems.append("\(swaps) of \(begun.count) handlers of type \(type) begin before one that comes earlier")
      }
    }
    let reader = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    defer { reader.shutdown() }
    let titles = Set(reader.fetch(for: Post.self).all().map(\.title))
    if titles.contains(where: { $0.hasPrefix("refused") }) { problems.append("what was refused is stored") }
    let ids = Set(reader.fetch(for: Thing.self).all().map { Int($0.id) / 1_000 })
    let registers = Set(RegisterType.all[0].readAll(reader).keys.map(Int.init))
    for (number, each) in asked.enumerated() {
      let parts = (log.asked.filter { $0.value.contains(number) }.keys).map { type in
        type == 0 ? titles.contains("post \(number)") : type == 1 ? ids.contains(number) : registers.contains(number)
      }
      if parts.contains(where: { $0 != each.isStored.value }) {
        problems.append("\(number) completes with \(each.isStored.value), and of its types there are: \(parts)")
      }
    }
    return problems
  }
}
