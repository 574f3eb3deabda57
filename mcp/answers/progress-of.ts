import type { ServerContext } from "@modelcontextprotocol/server"

/** Tells the client how its request goes; undefined where it did not ask. */
export const progressOf = ({ mcpReq }: ServerContext): ((message: string) => void) | undefined => {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return undefined
  let told = 0
  return (message) => {
    told += 1
    const params = { progressToken: token, progress: told, message }
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined)
  }
}
