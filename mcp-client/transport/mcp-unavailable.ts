/** A server cannot be reached now. The message is for models and people; it names the server and contains no secret. */
export class McpUnavailable extends Error {
  override readonly name = "McpUnavailable"
}
