import { narrowApproval, type RunApproval } from "../approval/narrow-approval.ts"
import { isInside } from "../workspace/is-inside.ts"

/** What a caller may ask for, over any interface: HTTP, MCP, a channel, a webhook, the command line, the library, or as an agent. */
export interface Authority {
  /**
   * The most approval of a run that this caller starts, continues or steers: `all` for a caller who may approve calls, `policy` for one who may
   * not; for an agent, the approval of its own run.
   */
  readonly approval: RunApproval
  /** The directories in and below which its sessions may work; `any`: everywhere except in those that are closed to all sessions. */
  readonly directories: "any" | readonly string[]
}

/** The authority of the user of this process: at the command line, over stdio, through the library, or over HTTP without a configured token. */
export const fullAuthority: Authority = { approval: "all", directories: "any" }

/** The authority of a person who writes in a channel's thread: may give work to the session that is bound to it, and may approve nothing. */
export const threadAuthority: Authority = { approval: "policy", directories: "any" }

const narrowDirectories = (
  base: Authority["directories"],
  other: Authority["directories"],
): Authority["directories"] => {
  if (base === "any") return other
  if (other === "any") return base
  const inside = (these: readonly string[], those: readonly string[]): readonly string[] =>
    these.filter((each) => those.some((directory) => isInside(directory, each)))
  return [...new Set([...inside(base, other), ...inside(other, base)])]
}

/** Returns what both allow. */
export const narrowAuthority = (base: Authority, other: Authority): Authority => ({
  approval: narrowApproval(base.approval, other.approval),
  directories: narrowDirectories(base.directories, other.directories),
})
