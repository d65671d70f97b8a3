#if PUBLISHERS
  #if !canImport(Combine)
    import Dflat
  #endif

  extension Workspace {
    /// Returns a publisher of the later states of an object, which finishes when the object is deleted.
    ///
    /// ```swift
    /// workspace.publisher(for: post).sink { change in print(change) }.store(in: &cancellables)
    /// ```
    ///
    /// The call reads nothing: a subscriber does, when it first demands a value. The publisher keeps the workspace.
    ///
    /// See also: `AtomPublisher`, Documentation/observing.md (Publishers).
    public func publisher<Element: Atom & Equatable>(for object: Element) -> AtomPublisher<Element> {
      AtomPublisher(self, object)
    }

    /// Returns a publisher of the later states of a result.
    ///
    /// ```swift
    /// workspace.publisher(for: posts).sink { posts in print(posts.count) }.store(in: &cancellables)
    /// ```
    ///
    /// See also: `FetchedResultPublisher`, Documentation/observing.md (Publishers).
    ///
    /// - Parameter fetchedResult: a result that this workspace has fetched. Subscribing to any other one stops the
    ///   program.
    public func publisher<Element: Atom & Equatable>(
      for fetchedResult: FetchedResult<Element>
    ) -> FetchedResultPublisher<Element> {
      FetchedResultPublisher(self, fetchedResult)
    }

    /// Returns a builder of publishers of queries for objects of a type: call `where` or `all` on it.
    ///
    /// ```swift
    /// workspace.publisher(for: Post.self).all(orderBy: Post.title.ascending)
    ///   .sink { posts in print(posts.map(\.title)) }
    ///   .store(in: &cancellables)
    /// ```
    ///
    /// See also: `QueryPublisher`, Documentation/observing.md (Publishers).
    public func publisher<Element: Atom & Equatable>(for ofType: Element.Type) -> QueryPublisherBuilder<Element> {
      QueryPublisherBuilder(self)
    }
  }
#endif
