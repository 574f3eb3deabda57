import { SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server"

/** True where the client gave the request up, rather than gone away. */
export const isGivenUp = ({ mcpReq }: ServerContext): boolean =>
  mcpReq.signal.aborted && !isDisconnect(mcpReq.signal.reason)

const isDisconnect = (reason: unknown): boolean =>
  reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed
