import { areTooManyMissing, type MissingSighting, missingVerdict } from "../../domain/engine/missing-sessions.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { Looked } from "./look-at-sessions.ts"

export interface Judged {
  /** Sessions whose missing outcome may be recorded now. */
  readonly over: readonly Looked[]
  /** Those that the engine does not know and that nobody has accepted as lost. */
  readonly missing: number
  /** So many are missing that nothing is recorded, except what a person has accepted. */
  readonly isStopped: boolean
}

interface Missed {
  readonly looked: Looked
  readonly sighting: MissingSighting
}

type JudgeDependencies = Pick<AgentDependencies, "store" | "timing">

const isMissing = ({ engine, ending }: Looked): boolean => engine === "not_found" && ending !== undefined

/** Notes what is missing, and forgets what was found again. */
const noteAll = async (
  { store }: JudgeDependencies,
  all: readonly Looked[],
  claimId: string,
): Promise<readonly Missed[]> => {
  const noted = await store.missing.listNoted()
  const missed: Missed[] = []
  for (const looked of all) {
    const { row, engine } = looked
    if (row.runId === null) continue
    if (engine === "running" && noted.has(row.id)) await store.missing.clear(row.id, row.runId)
    if (!isMissing(looked)) continue
    missed.push({ looked, sighting: await store.missing.note(row.id, { runId: row.runId, claimId }) })
  }
  return missed
}

/** The same without writing: a session that was not noted yet is seen to be missing for the first time. */
const recallAll = async ({ store }: JudgeDependencies, all: readonly Looked[]): Promise<readonly Missed[]> =>
  Promise.all(
    all.filter(isMissing).map(async (looked) => {
      const noted = await store.missing.get(looked.row.id)
      const first = { firstSeenAt: new Date().toISOString(), times: 1, acceptedAt: null }
      const isSame = noted?.runId === looked.row.runId
      return { looked, sighting: isSame ? { ...noted, times: noted.times + 1 } : first }
    }),
  )

/** Says which sessions are over. A session that the engine does not know is so only after a while, and not where too many are missing. */
export const judgeSessions = async (
  deps: JudgeDependencies,
  all: readonly Looked[],
  { claimId, dryRun }: { readonly claimId: string; readonly dryRun: boolean },
): Promise<Judged> => {
  const missed = dryRun ? await recallAll(deps, all) : await noteAll(deps, all, claimId)
  const known = await deps.store.missing.count(claimId)
  const unaccepted = missed.filter(({ sighting }) => sighting.acceptedAt === null).length
  const count = dryRun ? { ...known, missing: unaccepted } : known
  const isStopped = areTooManyMissing(count)
  const nowMs = Date.now()
  const lost = missed
    .filter(
      ({ sighting }) => missingVerdict({ sighting, nowMs, confirmMs: deps.timing.missingConfirmMs, count }) === "lost",
    )
    .map(({ looked }) => looked)
  const ended = isStopped ? [] : all.filter((looked) => looked.ending !== undefined && !isMissing(looked))
  return { over: [...ended, ...lost], missing: count.missing, isStopped }
}
