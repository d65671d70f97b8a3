extension Method {
  /// What a server is given.
  var serverRequest: String {
    "GRPCCore.\(streaming.hasRequests ? "StreamingServerRequest" : "ServerRequest")<\(request)>"
  }

  /// What a server gives.
  var serverResponse: String {
    "GRPCCore.\(streaming.hasResponses ? "StreamingServerResponse" : "ServerResponse")<\(response)>"
  }

  /// The expression that answers a stream of requests with a stream of responses: that is what servers are given and give.
  var handling: String {
    let request = streaming.hasRequests ? "request" : "GRPCCore.ServerRequest(stream: request)"
    let call = "self.\(swiftName)(request: \(request), context: context)"
    return streaming.hasResponses
      ? "try await \(call)" : "GRPCCore.StreamingServerResponse(\n      single: try await \(call))"
  }

  /// The method with messages alone, without `func`.
  var simpleSignature: String {
    let message =
      streaming.hasRequests
      ? "_ messages: GRPCCore.RPCAsyncSequence<\(request), any Swift.Error>" : "_ message: \(request)"
    let writer = streaming.hasResponses ? "\n  to responses: GRPCCore.RPCWriter<\(response)>," : ""
    let result = streaming.hasResponses ? "" : " -> \(response)"
    return "\(swiftName)(\n  \(message),\(writer) context: GRPCCore.ServerContext\n) async throws\(result)"
  }

  /// The statement that answers a request by the method with messages alone.
  var simpleCall: String {
    let message = streaming.hasRequests ? "request.messages" : "request.message"
    guard streaming.hasResponses else {
      return "GRPCCore.ServerResponse(message: try await self.\(swiftName)(\(message), context: context))"
    }
    return """
      GRPCCore.StreamingServerResponse { responses in
        try await self.\(swiftName)(\(message), to: responses, context: context)
        return [:]
      }
      """
  }
}
