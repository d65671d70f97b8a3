import Dflat
import EngineTestSupport
import Golden_post

/// Carries out plans of large transactions, one after the other, and says where the store does not do what they expect.
final class LargeWriter: @unchecked Sendable {
  // Unchecked: the closures of the transactions use it, and all of them name the same types.
  private let workspace: any Workspace
  private let seed: Int
  private let report: @Sendable (String) -> Void
  private(set) var model: LargeModel
  /// The objects as they were last fetched or submitted.
  private var posts: [String: Post] = [:]
  private var things: [Int64: Thing] = [:]

  init(_ workspace: any Workspace, seed: Int, report: @escaping @Sendable (String) -> Void) {
    self.workspace = workspace
    self.seed = seed
    self.report = report
    for post in workspace.fetch(for: Post.self).all() { posts[post.title] = post }
    for thing in workspace.fetch(for: Thing.self).all() { things[thing.id] = thing }
    model = LargeModel(in: workspace)
  }

  /// Asks for a transaction.
  ///
  /// - Parameter completion: is called with whether it is aborted and whether it was stored.
  func perform(_ number: Int, completion: @escaping @Sendable (_ isAborted: Bool, _ isStored: Bool) -> Void) {
    let isAborted = Locked(false)
    workspace.performChanges([Post.self, Thing.self]) { [self] context in
      let plan = LargePlan(seed: seed, number: number, after: model)
      let former = (posts, things)
      for step in plan.steps { perform(step, number, context) }
      if plan.isAborted {
        isAborted.value = true
        if !context.abort() { report("\(number) cannot be aborted") }
        (posts, things) = former
      } else {
        model = plan.model
      }
    } completionHandler: {
      completion(isAborted.value, $0)
    }
  }

  private func perform(_ step: LargePlan.Step, _ number: Int, _ context: any TransactionContext) {
    func fails() { report("transaction \(number): \(step)") }
    switch step {
    case .createPost(let title, let value, let isRefused):
      let request = PostChangeRequest.creationRequest(Post(title: title, tag: value.tag, priority: value.priority))
      submit(request, isRefused, context, fails) { posts[title] = $0 as? Post }
    case .changePost(let title, let new, let value, let isRefused):
      guard let post = posts[title], let request = PostChangeRequest.changeRequest(post) else { return fails() }
      (request.title, request.tag, request.priority) = (new, value.tag, value.priority)
      submit(request, isRefused, context, fails) { object in
        posts[title] = nil
        posts[new] = object as? Post
      }
    case .deletePost(let title):
      guard let post = posts[title], let request = PostChangeRequest.deletionRequest(post) else { return fails() }
      submit(request, false, context, fails) { _ in posts[title] = nil }
    case .createThing(let id, let value, let isRefused):
      let thing = Thing(id: id, big: value.big, ratio: Double(value.big), flag: value.big % 2 == 1, note: value.note)
      submit(ThingChangeRequest.creation(thing), isRefused, context, fails) { things[id] = $0 as? Thing }
    case .changeThing(let id, let value, let isRefused):
      guard let thing = things[id], let request = ThingChangeRequest.change(thing) else { return fails() }
      request.thing = Thing(
        id: id, big: value.big, ratio: Double(value.big), flag: value.big % 2 == 1, note: value.note)
      submit(request, isRefused, context, fails) { things[id] = $0 as? Thing }
    case .deleteThing(let id):
      guard let thing = things[id], let request = ThingChangeRequest.deletion(thing) else { return fails() }
      submit(request, false, context, fails) { _ in things[id] = nil }
    case .setKey(let key, let value): context.dictionary[key, Int.self] = value
    case .countPosts(let priority, let count):
      if workspace.fetch(for: Post.self).count(where: Post.priority == priority) != count { fails() }
    case .findPost(let title, let value):
      let post = workspace.fetch(for: Post.self).first(where: Post.title == title)
      if post.map(LargeModel.PostValue.init) != value { fails() }
    case .findThing(let note, let id):
      if workspace.fetch(for: Thing.self).first(where: Thing.note == note)?.id != id { fails() }
    case .readKey(let key, let value):
      if context.dictionary[key, Int.self] != value { fails() }
    }
  }

  private func submit(
    _ request: some ChangeRequest, _ isRefused: Bool, _ context: any TransactionContext, _ fails: () -> Void,
    _ note: ((any Atom)?) -> Void
  ) {
    do {
      let result = try context.submit(request)
      guard !isRefused else { return fails() }
      switch result {
      case .inserted(let object), .updated(let object), .identity(let object): note(object)
      default: note(nil)
      }
    } catch TransactionError.objectAlreadyExists {
      if !isRefused { fails() }
    } catch {
      report("\(error)")
      fails()
    }
  }
}

extension LargeModel.PostValue {
  init(_ post: Post) { self.init(priority: post.priority, tag: post.tag ?? "") }
}

extension LargeModel {
  /// What a store holds.
  init(in workspace: any Workspace) {
    for post in workspace.fetch(for: Post.self).all() { posts[post.title] = PostValue(post) }
    for thing in workspace.fetch(for: Thing.self).all() {
      things[thing.id] = ThingValue(big: thing.big, note: thing.note ?? "")
    }
    for key in LargeModel.keyNames { keys[key] = workspace.dictionary[key, Int.self] }
  }
}
