import type { ConnectionLimits } from "./connection-limits.ts"
import { McpUnavailable } from "./mcp-unavailable.ts"

/** Spaces the attempts to reach a server that fails: the second comes at once, the third and later ones wait longer and longer. */
export interface BackOff {
  /** Counts a failure and returns it as an error. */
  failed(problem: string): McpUnavailable
  /** Throws `McpUnavailable` with the last failure while the next attempt is not due. */
  requireDue(): void
  succeeded(): void
}

export const createBackOff = (server: string, limits: ConnectionLimits): BackOff => {
  let failures = 0
  let lastProblem = ""
  let dueAt = 0
  const unavailable = (problem: string): McpUnavailable =>
    new McpUnavailable(`MCP server ${server} cannot be reached: ${problem}`)
  return {
    failed(problem) {
      failures += 1
      lastProblem = problem
      const waitMs =
        failures < 2 ? 0 : Math.min(limits.backOffMaxMs, limits.backOffMs * 2 ** Math.min(failures - 2, 20))
      dueAt = Date.now() + waitMs
      return unavailable(problem)
    },
    requireDue() {
      const waitMs = dueAt - Date.now()
      if (waitMs > 0) throw unavailable(`${lastProblem}; the next try is in ${Math.ceil(waitMs / 1000)} s`)
    },
    succeeded() {
      failures = 0
    },
  }
}
