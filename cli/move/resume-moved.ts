import { stat } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import { movedMachine } from "../../domain/engine/placement.ts"
import { foreignProgramsOf } from "../../domain/run/foreign-programs.ts"
import { auditedActor } from "../../sessions/actor.ts"
import { placeHere } from "../../sessions/rows/session-place.ts"
import { sessionPages } from "../../sessions/rows/page.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import type { AdjutantClient } from "../../client/create-client.ts"
import type { Machine } from "../../engine/workers/machine.ts"
import type { CliContext } from "../program/cli-context.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { wrongUsage } from "../program/wrong-usage.ts"

type ResumeContext = Pick<CliContext, "cwd" | "env" | "options" | "confirm">

/** A tree that is resumed. `directory`: where its files are now, as a person named it. */
export interface ResumedTree {
  readonly rootId: string
  readonly directory?: string | undefined
}

interface MovableHost {
  readonly store: Store
  readonly machine: Machine
  readonly client: Pick<AdjutantClient, "takeOver">
  warn(message: string): void
}

/** Returns the sessions of a tree that came from another place and were not resumed since. */
const heldIn = async (store: Store, rootId: string): Promise<readonly SessionRow[]> => {
  const held: SessionRow[] = []
  for await (const page of sessionPages(store, { rootId }))
    for (const row of page) if ((await store.machines.placeOf(row.id))?.machine === movedMachine) held.push(row)
  return held
}

/** Returns what the runs of sessions start or reach outside Adjutant. */
const foreignProgramLines = async (store: Store, sessions: readonly SessionRow[]): Promise<readonly string[]> => {
  const lines = new Set<string>()
  for (const { id } of sessions)
    for (const { snapshotHash } of await store.runs.list(id)) {
      const snapshot = await store.snapshots.get(snapshotHash)
      for (const line of snapshot === undefined ? [] : foreignProgramsOf(snapshot)) lines.add(line)
    }
  return [...lines]
}

const isDirectory = async (directory: string): Promise<boolean> =>
  (await stat(directory).catch(() => undefined))?.isDirectory() === true

const requireDirectories = async (sessions: readonly SessionRow[]): Promise<void> => {
  for (const { id, cwd } of sessions)
    if (!(await isDirectory(cwd)))
      throw new AdjutantError("invalid_argument", `task ${id} works in ${cwd}, which does not exist: create it first`)
}

/** Requires that a person trusts the programs of a task from another place, which were trusted there. */
const requireTrustInPrograms = async (
  { env, options, confirm }: ResumeContext,
  programs: readonly string[],
): Promise<void> => {
  if (programs.length === 0 || options.trust === true || env["ADJUTANT_TRUST"] === "1") return
  const problem = "the task came from another place, and its programs, servers and hooks are not trusted here"
  const lines = programs.map((line) => `  ${oneLine(line, 2_000)}`)
  if (confirm === undefined)
    throw new AdjutantError("config_not_trusted", [`${problem}: check them, then pass --trust`, ...lines].join("\n"))
  if (!(await confirm([`${problem}:`, ...lines, "Trust them? [y/N] "].join("\n"))))
    throw new AdjutantError("config_not_trusted", `${problem}: nothing was resumed`)
}

/** Moves a tree, and every other session of its directory, to another directory. Refuses if the old one still exists: then it was not moved. */
const moveDirectory = async (
  { store, machine }: MovableHost,
  { rootId, directory: to }: ResumedTree,
): Promise<void> => {
  const from = (await store.sessions.get(rootId))?.cwd
  if (to === undefined || from === undefined || from === to) return
  if (machine.isOnly !== true || (await isDirectory(from)))
    throw wrongUsage(`--cwd ${to} does not match: task ${rootId} runs in ${from}`)
  if (!(await isDirectory(to))) throw wrongUsage(`--cwd ${to} does not exist`)
  await store.moves.moveDirectory({ from, to })
  await store.audit.record({
    sessionId: rootId,
    runId: null,
    action: "move-directory",
    ...auditedActor(commandLineActor()),
    detail: { from, to },
  })
}

/** Names both directories: that of the task, and the one in which the person asks. */
const requireOwnDirectory = async (
  { cwd }: Pick<CliContext, "cwd">,
  { store, machine }: MovableHost,
  rootId: string,
): Promise<void> => {
  const own = (await store.sessions.get(rootId))?.cwd
  if (own === undefined || machine.isOnly !== true || (await isDirectory(own))) return
  throw new AdjutantError(
    "invalid_argument",
    `task ${rootId} works in ${own}, which does not exist here, so nothing was changed: create it again, or name the directory where its files are, for example --cwd ${shellQuote(cwd)}`,
  )
}

/**
 * Makes a tree ready to be resumed here: takes it over from where it was, and warns of files that it wrote and that are missing. Returns true if it came with
 * a moved data directory, and runs from here on.
 * @throws AdjutantError `invalid_argument`, `config_not_trusted`
 */
export const prepareResume = async (context: ResumeContext, host: MovableHost, tree: ResumedTree): Promise<boolean> => {
  await moveDirectory(host, tree)
  const { rootId, directory } = tree
  await requireOwnDirectory(context, host, rootId)
  const isReleased = await resumeMoved(context, host, rootId)
  const taken = { rootId, actor: commandLineActor(), isNamed: directory !== undefined }
  for (const line of await host.client.takeOver(taken)) host.warn(line)
  return isReleased
}

/**
 * Releases a tree that came with a moved data directory: from now on it runs here. Returns false for any other tree.
 * @throws AdjutantError `invalid_argument` if a directory is missing, `config_not_trusted`
 */
const resumeMoved = async (
  context: ResumeContext,
  { store, machine }: MovableHost,
  rootId: string,
): Promise<boolean> => {
  const held = await heldIn(store, rootId)
  if (held.length === 0) return false
  await requireDirectories(held)
  await requireTrustInPrograms(context, await foreignProgramLines(store, held))
  for (const { id, cwd } of held) await store.machines.move(id, movedMachine, await placeHere({ machine }, cwd))
  return true
}
