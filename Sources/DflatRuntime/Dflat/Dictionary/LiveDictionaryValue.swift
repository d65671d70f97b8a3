import Foundation
import Observation

/// The value of a key that stays up to date, for SwiftUI and other clients of the Observation framework.
///
/// ```swift
/// let launches = LiveDictionaryValue("launches", of: Int.self, in: workspace.dictionary)
/// launches.value = (launches.value ?? 0) + 1
/// ```
///
/// It has the present value at once. When another thread, a transaction or another process changes the key, `value`
/// changes on the main actor. While the main actor is busy, only the latest change waits. The updates stop when the
/// object is released or cancelled, or the workspace is shut down.
///
/// See also: Documentation/dictionary.md (Subscriptions).
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class LiveDictionaryValue<Value: Equatable & Sendable> {
  @ObservationIgnored private var current: Value?
  @ObservationIgnored private var subscription: (any WorkspaceSubscription)?
  @ObservationIgnored private let store: (Value?) -> Void
  @ObservationIgnored private let isSame: (Value?, Value?) -> Bool
  @ObservationIgnored private var task: Task<Void, Never>?

  /// The value of the key; nil if it has no value of this type. Setting it sets the key.
  public var value: Value? {
    get {
      access(keyPath: \.value)
      return current
    }
    set {
      // The subscription tells of this change, too, later. `value` is then what the key has at that time.
      if !isSame(current, newValue) { withMutation(keyPath: \.value) { current = newValue } }
      store(newValue)
    }
  }

  /// Observes a key, from its present value on.
  public convenience init(_ key: String, of type: Value.Type, in dictionary: any WorkspaceDictionary)
  where Value: DictionaryPrimitive {
    self.init(key, PrimitiveCoding<Value>.self, dictionary)
  }

  /// Observes a key, from its present value on.
  @_disfavoredOverload
  public convenience init(_ key: String, of type: Value.Type, in dictionary: any WorkspaceDictionary)
  where Value: Codable {
    self.init(key, PropertyListCoding<Value>.self, dictionary)
  }

  /// Observes a key, from its present value on.
  public convenience init(_ key: String, of type: Value.Type, in dictionary: any WorkspaceDictionary)
  where Value: FlatBuffersCodable {
    self.init(key, FlatBufferCoding<Value>.self, dictionary)
  }

  private init<Coding: DictionaryCoding>(
    _ key: String, _ coding: Coding.Type, _ dictionary: any WorkspaceDictionary
  ) where Coding.Value == Value {
    current = dictionary._value(forKey: key, coding)
    store = { dictionary._setValue($0, forKey: key, coding) }
    isSame = { coding.isSame($0, $1) }
    // The updates carry no value. The task reads the key instead, so it never shows a value older than one that was
    // set here.
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    subscription = dictionary._subscribe(
      key,
      changeHandler: { _ in
        continuation.yield()
        return nil
      }, endHandler: { continuation.finish() })
    task = Task { [weak self] in
      for await _ in changes {
        let value = dictionary._value(forKey: key, coding)
        self?.show(value)
      }
    }
  }

  deinit { task?.cancel() }

  /// Ends the updates. `value` keeps its last state, and can still be set.
  public func cancel() {
    subscription?.cancel()
    task?.cancel()
  }

  private func show(_ value: Value?) {
    if Task.isCancelled || isSame(value, current) { return }
    withMutation(keyPath: \.value) { current = value }
  }
}
