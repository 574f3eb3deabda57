/** A session whose latest run has ended. */
export interface ArchiveFacts {
  readonly endedAtMs: number
  readonly nowMs: number
  /** 0: never. */
  readonly archiveAfterMinutes: number
  /** A person or a program started the session, and `subagents.archiveRoots` is not set. */
  readonly isKept: boolean
  /** The session stays open to follow-ups from its thread. */
  readonly isBound: boolean
  /** `delete`: the session is not needed after its result is delivered. */
  readonly cleanup: "keep" | "delete"
  /** Its parent has ended, so nothing waits for its result. */
  readonly parentIsOver: boolean
}

/** Returns whether the session is due to be archived. Archiving hides it from lists and erases nothing. */
export const isArchiveDue = (facts: ArchiveFacts): boolean => {
  if (facts.isBound) return false
  if (facts.cleanup === "delete" && facts.parentIsOver) return true
  const { archiveAfterMinutes, isKept } = facts
  return !isKept && archiveAfterMinutes > 0 && facts.nowMs - facts.endedAtMs >= archiveAfterMinutes * 60_000
}

/** Returns whether an agent or a delegation tool started the session; a fork belongs to the person who made it. */
export const isSubagentSession = (session: {
  readonly depth: number
  readonly parentId: string | null
  readonly internal: Readonly<Record<string, unknown>>
}): boolean => session.depth > 0 && (session.parentId !== null || session.internal["forked_from"] === undefined)

/** Returns the options that a spawn stored on a sub-agent's row. */
export const spawnOptionsOf = (session: {
  readonly depth: number
  readonly internal: Readonly<Record<string, unknown>>
}): { readonly isBound: boolean; readonly cleanup: "keep" | "delete" } => {
  const isSpawned = session.depth > 0
  return {
    isBound: isSpawned && session.internal["mode"] === "session",
    cleanup: isSpawned && session.internal["cleanup"] === "delete" ? "delete" : "keep",
  }
}
