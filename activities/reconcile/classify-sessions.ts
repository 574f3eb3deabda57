import { areTooManyMissing, type MissingSighting, missingVerdict } from "../../domain/engine/missing-sessions.ts"
import type { ObservedSession } from "../../sessions/engine/observe-session.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

export interface ClassifiedSessions {
  /** Sessions whose missing outcome may be recorded now. */
  readonly over: readonly ObservedSession[]
  /** Those that the engine does not know and that nobody has accepted as lost. */
  readonly missing: number
  /** So many are missing that nothing is recorded, except what a person has accepted. */
  readonly isStopped: boolean
}

interface MissingSession {
  readonly observed: ObservedSession
  readonly sighting: MissingSighting
}

type ClassifyDependencies = Pick<AgentDependencies, "store" | "timing">

interface ClassifyOptions {
  readonly claimId: string
  readonly dryRun: boolean
  /** Called before each session that is noted. */
  readonly onProgress: (sessionId: string) => void
}

const isMissing = ({ engine, missing }: ObservedSession): boolean => engine === "not_found" && missing !== undefined

/** Notes what is missing, and forgets what was found again. */
const noteMissing = async (
  { store }: ClassifyDependencies,
  all: readonly ObservedSession[],
  { claimId, onProgress }: ClassifyOptions,
): Promise<readonly MissingSession[]> => {
  const noted = await store.missing.listNoted()
  const missing: MissingSession[] = []
  for (const observed of all) {
    const { row, engine } = observed
    onProgress(row.id)
    if (row.runId === null) continue
    if (engine === "running" && noted.has(row.id)) await store.missing.clear(row.id, row.runId)
    if (!isMissing(observed)) continue
    missing.push({ observed, sighting: await store.missing.note(row.id, { runId: row.runId, claimId }) })
  }
  return missing
}

/** The same without writing: a session that was not noted yet is seen to be missing for the first time. */
const readMissing = async (
  { store }: ClassifyDependencies,
  all: readonly ObservedSession[],
): Promise<readonly MissingSession[]> =>
  Promise.all(
    all.filter(isMissing).map(async (observed) => {
      const noted = await store.missing.get(observed.row.id)
      const first = { firstSeenAt: new Date().toISOString(), times: 1, acceptedAt: null }
      const isSame = noted?.runId === observed.row.runId
      return { observed, sighting: isSame ? { ...noted, times: noted.times + 1 } : first }
    }),
  )

/** Returns which sessions are over. One that the engine does not know is so only after a while, and not where too many are missing. */
export const classifySessions = async (
  deps: ClassifyDependencies,
  all: readonly ObservedSession[],
  options: ClassifyOptions,
): Promise<ClassifiedSessions> => {
  const { claimId, dryRun } = options
  const missing = dryRun ? await readMissing(deps, all) : await noteMissing(deps, all, options)
  const known = await deps.store.missing.count(claimId)
  const unaccepted = missing.filter(({ sighting }) => sighting.acceptedAt === null).length
  const count = dryRun ? { ...known, missing: unaccepted } : known
  const isStopped = areTooManyMissing(count)
  const nowMs = Date.now()
  const lost = missing
    .filter(
      ({ sighting }) => missingVerdict({ sighting, nowMs, confirmMs: deps.timing.missingConfirmMs, count }) === "lost",
    )
    .map(({ observed }) => observed)
  const ended = isStopped ? [] : all.filter((observed) => observed.missing !== undefined && !isMissing(observed))
  return { over: [...ended, ...lost], missing: count.missing, isStopped }
}
