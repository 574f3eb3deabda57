/** A server that cannot be reached now. The message is for models and people; it names the server and holds no secret. */
export class McpUnavailable extends Error {
  override readonly name = "McpUnavailable"
}
