import type { Approval } from "../approval/narrow-approval.ts"

/** What a caller may ask for, whichever way it came: over HTTP, MCP, a channel, a webhook, the command line, the library, or as an agent. */
export interface Authority {
  /**
   * The most approval that a run may have which this caller starts, continues or steers: `all` for a caller who may approve calls, `policy` for one
   * who may not; for an agent, what its own run has.
   */
  readonly approval: Approval
  /** The directories in which, and below which, its sessions may work; `any`: everywhere but in those that are closed to all. */
  readonly directories: "any" | readonly string[]
}

/** The person whose process this is: at the command line, over stdio, through the library, or over HTTP where no token is configured. */
export const fullAuthority: Authority = { approval: "all", directories: "any" }

/** Whoever writes in the thread of a channel: may give work to the session that the thread is bound to, and approves nothing. */
export const threadAuthority: Authority = { approval: "policy", directories: "any" }
