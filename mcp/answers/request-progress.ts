import type { ServerContext } from "@modelcontextprotocol/server"

/** Clients that get no progress usually stop waiting after a minute; many start that minute again with each notification. */
export const progressHeartbeatMs = 15_000

/** Tells the client how its request goes; undefined where it did not ask. */
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
