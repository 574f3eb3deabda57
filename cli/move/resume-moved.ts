import { stat } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { movedMachine } from "../../domain/engine/placement.ts"
import { foreignProgramsOf } from "../../domain/run/foreign-programs.ts"
import { placeHere } from "../../sessions/start/session-place.ts"
import { sessionPages } from "../../sessions/view/page.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { CliContext } from "../program/cli-context.ts"
import { oneLine } from "../text/plain-text.ts"

type ResumeContext = Pick<CliContext, "env" | "options" | "confirm">

/** Returns the sessions of a tree that came from another place and were not resumed since. */
const heldIn = async (store: Store, rootId: string): Promise<readonly SessionRow[]> => {
  const held: SessionRow[] = []
  for await (const page of sessionPages(store, { rootId }))
    for (const row of page) if ((await store.machines.placeOf(row.id))?.machine === movedMachine) held.push(row)
  return held
}

/** Returns what the runs of sessions start or reach outside Adjutant. */
const programsOf = async (store: Store, sessions: readonly SessionRow[]): Promise<readonly string[]> => {
  const lines = new Set<string>()
  for (const { id } of sessions)
    for (const { snapshotHash } of await store.runs.list(id)) {
      const snapshot = await store.snapshots.get(snapshotHash)
      for (const line of snapshot === undefined ? [] : foreignProgramsOf(snapshot)) lines.add(line)
    }
  return [...lines]
}

const requireDirectories = async (sessions: readonly SessionRow[]): Promise<void> => {
  for (const { id, cwd } of sessions) {
    const found = await stat(cwd).catch(() => undefined)
    if (found?.isDirectory() !== true)
      throw new AdjutantError("invalid_argument", `task ${id} works in ${cwd}, which does not exist: create it first`)
  }
}

/** Requires that a person trusts the programs of a task from another place, which were trusted there. */
const requireTrust = async ({ env, options, confirm }: ResumeContext, programs: readonly string[]): Promise<void> => {
  if (programs.length === 0 || options.trust === true || env["ADJUTANT_TRUST"] === "1") return
  const problem = "the task came from another place, and its programs, servers and hooks are not trusted here"
  const lines = programs.map((line) => `  ${oneLine(line, 2_000)}`)
  if (confirm === undefined)
    throw new AdjutantError("config_not_trusted", [`${problem}: check them, then pass --trust`, ...lines].join("\n"))
  if (!(await confirm([`${problem}:`, ...lines, "Trust them? [y/N] "].join("\n"))))
    throw new AdjutantError("config_not_trusted", `${problem}: nothing was resumed`)
}

/**
 * Releases a tree that came with a moved data directory: from now on it runs here. Returns false for any other tree.
 * @throws AdjutantError `invalid_argument` if a directory is missing, `config_not_trusted`
 */
export const resumeMoved = async (context: ResumeContext, store: Store, rootId: string): Promise<boolean> => {
  const held = await heldIn(store, rootId)
  if (held.length === 0) return false
  await requireDirectories(held)
  await requireTrust(context, await programsOf(store, held))
  for (const { id, cwd } of held) await store.machines.move(id, movedMachine, await placeHere(context, cwd))
  return true
}
