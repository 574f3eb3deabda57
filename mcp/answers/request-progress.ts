import type { ServerContext } from "@modelcontextprotocol/server"

/**
 * Interval of progress notifications. Clients usually stop waiting after a minute without progress; many restart that minute with each
 * notification.
 */
export const progressHeartbeatMs = 15_000

/** Returns a function that sends a progress notification to the client; undefined if the request did not ask for progress. */
export const progressOf = ({ mcpReq }: ServerContext): ((message: string) => void) | undefined => {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return undefined
  let sent = 0
  return (message) => {
    sent += 1
    const params = { progressToken: token, progress: sent, message }
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined)
  }
}
