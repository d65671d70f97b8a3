#if PUBLISHERS
  #if !canImport(Combine)
    import Dflat
  #endif

  extension Workspace {
    /// A publisher of the later states of an object, which finishes when the object is deleted.
    public func publisher<Element: Atom & Equatable>(for object: Element) -> AtomPublisher<Element> {
      AtomPublisher(self, object)
    }

    /// A publisher of the later states of a result.
    ///
    /// - Parameter fetchedResult: a result that was fetched from this workspace.
    public func publisher<Element: Atom & Equatable>(
      for fetchedResult: FetchedResult<Element>
    ) -> FetchedResultPublisher<Element> {
      FetchedResultPublisher(self, fetchedResult)
    }

    /// Starts a publisher of a query for objects of a type: call `where` or `all` on what is returned.
    public func publisher<Element: Atom & Equatable>(for ofType: Element.Type) -> QueryPublisherBuilder<Element> {
      QueryPublisherBuilder(self)
    }
  }
#endif
