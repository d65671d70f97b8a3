import Dflat

extension TransactionContext {
  /// Submits a request, for code that handles each `TransactionError`. The engines throw no other error.
  @discardableResult
  package func typedSubmit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject {
    do {
      return try submit(request)
    } catch let error as TransactionError {
      throw error
    } catch {
      throw .others
    }
  }
}
