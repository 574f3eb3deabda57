import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { changedSurroundings, surroundingsLines } from "../../domain/prompts/surroundings.ts"
import type { SessionPatch, SessionRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Returns the facts with which a session's prompts end; undefined before its first run. */
export const storedSurroundings = ({ internal }: Pick<SessionRow, "internal">): readonly string[] | undefined => {
  const lines = internal["surroundings"]
  return Array.isArray(lines) ? lines.filter((line): line is string => typeof line === "string") : undefined
}

interface StartingSurroundings {
  /** What is written to the session when its first run starts. */
  readonly patch?: Pick<SessionPatch, "internal">
  /** A line before the instruction of a later run. */
  readonly lead?: string | undefined
}

/** Reads the facts at the start of a run: those of the first run are kept, and a later run is told what differs from them. */
export const startingSurroundings = async (
  { store, readSurroundings }: Pick<AgentDependencies, "store" | "readSurroundings">,
  sessionId: string,
  snapshot: RunSnapshot,
): Promise<StartingSurroundings> => {
  const session = snapshot.showsSurroundings === true ? await store.sessions.get(sessionId) : undefined
  if (session === undefined) return {}
  const now = surroundingsLines(await readSurroundings(snapshot))
  const before = storedSurroundings(session)
  return before === undefined
    ? { patch: { internal: { ...session.internal, surroundings: now } } }
    : { lead: changedSurroundings(before, now) }
}
