// What an app may hand to a transaction in Swift 5 mode, and not in Swift 6 mode: closures that it was given, requests that it
// was given, and variables that the closure changes. This file is not modernised.

import Dflat
import Foundation
import Golden_post
import SQLiteDflat

extension OldPosts {
  func change(_ changesHandler: @escaping Workspace.ChangesHandler, done: @escaping Workspace.CompletionHandler) {
    dflat.performChanges([Post.self], changesHandler: changesHandler, completionHandler: done)
  }

  func save<R: ChangeRequest>(_ request: R) async -> Bool {
    await dflat.performChanges([R.Element.self]) { $0.try(submit: request) }
  }

  func priority(of post: Post, done: @escaping (Int32?) -> Void) {
    var priority: Int32? = nil
    dflat.performChanges(
      [Post.self],
      changesHandler: { txnContext in
        guard let changeRequest = PostChangeRequest.changeRequest(post) else { return }
        priority = changeRequest.priority
      }
    ) { _ in
      done(priority)
    }
  }

  func close(_ completion: (() -> Void)?) {
    dflat.shutdown(flags: [.truncate], completion: completion)
    dflat.shutdown(completion: completion)
  }
}

extension OldPosts {
  /// The handlers are called by the thread that sets the key, so they may change a variable of the function.
  func values(of key: String) -> [SubscribedDictionaryValue<Int>] {
    var values = [SubscribedDictionaryValue<Int>]()
    var dictionary = dflat.dictionary
    dictionary[key, Int.self] = 10
    let subscription = dictionary.subscribe(key, of: Int.self) { value in
      values.append(value)
    }
    dictionary[key, Int.self] = 12
    dictionary[key, Int.self] = nil
    subscription.cancel()
    dictionary[key, Int.self] = 14
    dictionary = dflat.dictionary
    return values
  }
}
