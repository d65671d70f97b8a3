#if PUBLISHERS
  #if !canImport(Combine)
    import Dflat
  #endif

  extension Workspace {
    /// Returns a publisher of the later states of an object, which finishes when the object is deleted.
    public func publisher<Element: Atom & Equatable>(for object: Element) -> AtomPublisher<Element> {
      AtomPublisher(self, object)
    }

    /// Returns a publisher of the later states of a result.
    ///
    /// - Parameter fetchedResult: a result that this workspace has fetched.
    public func publisher<Element: Atom & Equatable>(
      for fetchedResult: FetchedResult<Element>
    ) -> FetchedResultPublisher<Element> {
      FetchedResultPublisher(self, fetchedResult)
    }

    /// Returns a builder of publishers of queries for objects of a type: call `where` or `all` on it.
    public func publisher<Element: Atom & Equatable>(for ofType: Element.Type) -> QueryPublisherBuilder<Element> {
      QueryPublisherBuilder(self)
    }
  }
#endif
