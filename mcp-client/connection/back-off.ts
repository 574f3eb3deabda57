import type { ConnectionLimits } from "./connection-limits.ts"
import { McpUnavailable } from "../transport/mcp-unavailable.ts"

/** Delays the attempts to reach a server that fails. The second attempt is made immediately; each later one waits twice as long as the one before. */
export interface BackOff {
  /** Counts a failure and returns it as an error. */
  failed(problem: string): McpUnavailable
  /** Throws `McpUnavailable` with the last failure if the next attempt is not due yet. */
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
      if (waitMs > 0) throw unavailable(`${lastProblem}; the next attempt is in ${Math.ceil(waitMs / 1000)} s`)
    },
    succeeded() {
      failures = 0
    },
  }
}
