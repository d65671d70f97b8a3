import Dflat
import Foundation
import Golden_post
import SQLiteDflat

#if !canImport(Combine)
  import DflatPublishers
#endif

/// What an app of Dflat 0.6 keeps in the dictionary of its workspace.
final class Settings {
  struct Layout: Codable, Equatable, Sendable {
    var columns: Int
    var title: String
  }

  let dflat: Workspace
  let dictionary: WorkspaceDictionary
  private var subscriptions: [Workspace.Subscription] = []

  init(_ dflat: Workspace) {
    self.dflat = dflat
    dictionary = dflat.dictionary
  }

  func set() {
    let somevalue = 5
    dflat.dictionary["somekey"] = somevalue
    var dictionary = dflat.dictionary
    dictionary["flag"] = true
    dictionary["int"] = -123
    dictionary["uint"] = UInt(23)
    dictionary["float"] = Float(-2.5)
    dictionary["double"] = 2.25
    dictionary["string"] = "abcde"
    dictionary["layout"] = Layout(columns: 2, title: "zonda")
    dictionary["post"] = Post(title: "zonda", priority: 100)
    dictionary["typed", Int.self] = 10
    dictionary["typed layout", Layout.self] = Layout(columns: 3, title: "typed")
    dictionary["typed post", Post.self] = Post(title: "typed")
    dictionary = dflat.dictionary
  }

  func clear() {
    dictionary["int", Int.self] = nil
    dictionary["layout", Layout.self] = nil
    dictionary["post", Post.self] = nil
    let nothing: String? = nil
    dictionary["string"] = nothing
    dictionary.synchronize()
  }

  func removeEverything() { dictionary.removeAll() }

  /// The values, each read in another form.
  func values() -> [String] {
    let flag: Bool? = dictionary["flag"]
    let uint = dictionary["uint"] as UInt?
    guard let float = dictionary["float", Float.self] else { return [] }
    let layout = dictionary["layout", default: Layout(columns: 0, title: "none")]
    let post = dictionary["post", default: Post(title: "none")]
    return [
      "\(dictionary["somekey", default: 0])", "\(flag ?? false)", "\(dictionary["int", default: 1])", "\(uint ?? 0)",
      "\(float)", "\(dictionary["double", default: 0.5])", dictionary["string", default: "none"], layout.title,
      post.title, "\(dictionary["absent", Int.self] ?? -1)",
    ]
  }

  func keys() -> [String] { dictionary.keys.sorted() }

  func follow() {
    subscriptions.append(dictionary.subscribe("int", of: Int.self) { value in Settings.show(value) })
    subscriptions.append(
      dictionary.subscribe("layout", of: Layout.self, changeHandler: { value in Settings.show(value) }))
    subscriptions.append(dictionary.subscribe("post", of: Post.self) { value in Settings.show(value) })
  }

  func stop() { subscriptions.forEach { $0.cancel() } }

  func followInTask() async {
    for await value in dictionary.subscribe("int", of: Int.self, bufferingPolicy: .unbounded) { Settings.show(value) }
    for await value in dictionary.subscribe("layout", of: Layout.self) { Settings.show(value) }
  }

  static func show<Value>(_ value: SubscribedDictionaryValue<Value>) {
    switch value {
    case .initial(let value): print(value.map { "\($0)" } ?? "none")
    case .updated(let value): print(value)
    case .deleted: print("deleted")
    }
  }

  func publishers() -> (DictionaryValuePublisher<String>, DictionaryValuePublisher<Layout>) {
    (dictionary.publisher("string", of: String.self), dictionary.publisher("layout", of: Layout.self))
  }
}
