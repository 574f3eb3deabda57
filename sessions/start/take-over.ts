import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { movedMachine } from "../../domain/engine/placement.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import type { SessionRow } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { sessionPages } from "../rows/page.ts"

/** A tree that a person resumes here. */
export interface TakeOver {
  readonly rootId: string
  readonly actor: Actor
  /** The person named the directory, so that its files may be others. */
  readonly isNamed?: boolean
}

const maxDifferences = 10

/** Returns how a file differs from what was written; undefined if it does not. */
const differenceOf = async (file: string, written: string): Promise<string | undefined> => {
  try {
    const hash = createHash("sha256")
      .update(await readFile(file))
      .digest("hex")
    return hash === written ? undefined : "is not as the task left it"
  } catch (error) {
    return systemCode(error) === "ENOENT" ? "is missing" : "cannot be read"
  }
}

/** Returns which files that a session wrote are missing or different, for people. */
const differencesOf = async ({ store }: Place, { id, cwd }: SessionRow): Promise<readonly string[]> => {
  // What was written in a worktree is not in the working directory.
  if ((await store.worktrees.get(id)) !== undefined) return []
  const found: string[] = []
  for (const [path, written] of await store.touchedFiles.written(id)) {
    const difference = await differenceOf(join(cwd, path), written)
    if (difference !== undefined) found.push(`${join(cwd, path)}, which task ${id} wrote, ${difference}`)
  }
  const further = found.length - maxDifferences
  return further > 0 ? [...found.slice(0, maxDifferences), `so are ${further} more files of task ${id}`] : found
}

/** Where the engine is embedded, nothing but the store is needed: no other machine has a part in it. */
type Place = Pick<SessionsContext, "store" | "machine"> & {
  /** Returns whether another machine serves its sessions now. */
  readonly hasWorkerOn?: (machine: string) => Promise<boolean>
}

/** Requires that no machine serves a session. @throws AdjutantError `invalid_argument` */
const requireLeft = async (
  { machine: here, hasWorkerOn }: Place,
  { id }: SessionRow,
  machine: string,
): Promise<void> => {
  if (here.isOnly === true || (hasWorkerOn !== undefined && !(await hasWorkerOn(machine)))) return
  throw new AdjutantError(
    "invalid_argument",
    `task ${id} belongs to the machine ${machine}, whose worker runs: resume it there, or stop that worker and wait for a minute`,
  )
}

/**
 * Requires that some machine can work on a session whose directory is not here: a decision that none carries out would be used up.
 * @throws AdjutantError `invalid_argument`
 */
const requireServed = async (
  { machine: here, hasWorkerOn }: Place,
  { id }: SessionRow,
  { machine, cwd }: { readonly machine: string; readonly cwd: string },
): Promise<void> => {
  if (here.isOnly === true || machine === here.name || hasWorkerOn === undefined || (await hasWorkerOn(machine))) return
  throw new AdjutantError(
    "invalid_argument",
    `task ${id} works in ${cwd} on the machine ${machine}, which has no worker, and that directory does not exist here, so nothing was changed: start a worker there, or bring the directory to the same path here`,
  )
}

/** Takes a session over. Returns what a person should know; undefined if it was here already. */
const takeOne = async (context: Place, row: SessionRow, request: TakeOver): Promise<string | undefined> => {
  const { store, machine } = context
  const place = await store.machines.placeOf(row.id)
  if (place === undefined || place.machine === null || place.machine === movedMachine) return undefined
  const found = await machine.identify(place.cwd)
  if (found === undefined) await requireServed(context, row, { machine: place.machine, cwd: place.cwd })
  if (found === undefined || (place.directory !== null && place.directory === found)) return undefined
  if (place.machine === machine.name && (place.directory === null || found === null)) return undefined
  await requireLeft(context, row, place.machine)
  if (!(await store.machines.move(row.id, place.machine, { machine: machine.name, directory: found }))) return undefined
  const { actor } = request
  const detail = { from: place.machine, to: machine.name, cwd: place.cwd }
  await store.audit.record({ sessionId: row.id, runId: row.runId, action: "take-over", ...auditedActor(actor), detail })
  return place.machine === machine.name
    ? `task ${row.id} is taken over: ${place.cwd} is another copy of the directory in which it began`
    : `task ${row.id} is taken over from the machine ${place.machine}`
}

/**
 * Makes the open sessions of a tree this machine's, if their directories are here: a person resumes them here. Returns lines for that person: what was taken over,
 * and which files that the tree wrote are missing or different.
 * @throws AdjutantError `invalid_argument` if another machine serves them, if their directory is not here and its machine has no worker, or if files differ on
 * another machine and nobody named the directory
 */
export const takeOverTree = async (context: Place, request: TakeOver): Promise<readonly string[]> => {
  const { store, machine } = context
  const lines: string[] = []
  for await (const page of sessionPages(store, { rootId: request.rootId }))
    for (const row of page) {
      if (isFinal(row.status) && row.id !== request.rootId) continue
      const differences = await differencesOf(context, row)
      const [first] = differences
      const isElsewhere = machine.isOnly !== true && (await store.machines.placeOf(row.id))?.machine !== machine.name
      if (first !== undefined && isElsewhere && request.isNamed !== true)
        throw new AdjutantError(
          "invalid_argument",
          `${first}: bring the files of the task here first, or name the directory with --cwd`,
        )
      const taken = await takeOne(context, row, request)
      lines.push(...(taken === undefined ? [] : [taken]), ...differences)
    }
  return lines
}
