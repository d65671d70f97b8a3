import Dflat
import Testing

/// Has the subscription whose callback refers to it, as a screen of an app may.
private final class Owner: Sendable {
  let subscription = Locked<(any WorkspaceSubscription)?>(nil)
  let told = Collected<SubscribedDictionaryValue<Int>>()

  init(subscribingTo key: String, of dictionary: any WorkspaceDictionary) {
    subscription.value = dictionary.subscribe(key, of: Int.self) { self.told.append($0) }
  }
}

/// Checks how subscriptions to keys end, in a workspace of any engine, which is shut down.
package func checkEndOfDictionarySubscriptions(in workspace: any Workspace) async {
  let dictionary = workspace.dictionary
  let told = Collected<SubscribedDictionaryValue<Int>>()
  // One that nobody refers to is cancelled.
  do {
    let subscription = dictionary.subscribe("k", of: Int.self) { told.append($0) }
    withExtendedLifetime(subscription) { dictionary["k"] = 1 }
  }
  dictionary["k"] = 2
  #expect(told.values == [.initial(nil), .updated(1)])

  // One that has ended lets go of its callback, which may own it.
  for isShutDown in [false, true] {
    weak var owner: Owner?
    do {
      let new = Owner(subscribingTo: "k", of: dictionary)
      owner = new
      if isShutDown { await workspace.shutdown() } else { new.subscription.value?.cancel() }
      #expect(new.told.values == [.initial(2)])
    }
    #expect(eventually { owner == nil })
  }

  // One of a workspace that has been shut down ends at once.
  let late = Owner(subscribingTo: "k", of: dictionary)
  #expect(late.told.values == [.initial(nil)])
  var streamed: [SubscribedDictionaryValue<Int>] = []
  for await value in dictionary.subscribe("k", of: Int.self) { streamed.append(value) }
  #expect(streamed == [.initial(nil)])
}
