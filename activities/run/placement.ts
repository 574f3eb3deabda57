import type { Elsewhere } from "../../domain/engine/elsewhere.ts"
import { movedMachine, placementOf } from "../../domain/engine/placement.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Returns where the calls of a session have to run instead; undefined if this machine has its working directory. */
export type FindElsewhere = (sessionId: string) => Promise<Elsewhere | undefined>

const keptSessions = 10_000

/**
 * Creates the check of where a session's calls run. A session stays on its machine, so one that belongs to this one is looked up once. One without a
 * machine is given to this one if it has the directory. `isShared`: every machine that shares the directory will do.
 */
export const createFindElsewhere = (
  { store: { machines }, machine }: Pick<AgentDependencies, "store" | "machine">,
  { isShared = true } = {},
): FindElsewhere => {
  const own = new Set<string>()

  const keep = (sessionId: string): undefined => {
    own.add(sessionId)
    for (const oldest of own) {
      if (own.size <= keptSessions) break
      own.delete(oldest)
    }
  }

  return async (sessionId) => {
    if (own.has(sessionId)) return undefined
    // Another machine may adopt it at the same moment; then its new place is read.
    for (;;) {
      const place = await machines.placeOf(sessionId)
      if (place === undefined) return undefined
      if (place.machine === machine.name) return keep(sessionId)
      if (machine.isOnly === true && place.machine !== movedMachine) return keep(sessionId)
      const found = await machine.identify(place.cwd)
      const directory = isShared ? place.directory : null
      const facts = { ...place, directory, found, here: machine.name, machines: await machines.list() }
      const placement = placementOf(facts)
      if (placement.kind === "here") return undefined
      if (placement.kind === "elsewhere")
        return { elsewhere: { machines: placement.machines, isKnown: placement.isKnown } }
      const here = { machine: machine.name, directory: isShared ? placement.directory : null }
      if (await machines.move(sessionId, place.machine, here)) return keep(sessionId)
    }
  }
}

/**
 * Creates the check of where the worktree of a session is, or has to be created: machines that share the working directory do not share the data
 * directory, which contains the worktree.
 */
export const createFindWorktree = (deps: Pick<AgentDependencies, "store" | "machine">): FindElsewhere => {
  const findOwn = createFindElsewhere(deps, { isShared: false })
  return async (sessionId) => {
    const row = await deps.store.worktrees.get(sessionId)
    if (row?.status !== "open") return await findOwn(sessionId)
    if (deps.machine.isOnly === true) return await findOwn(sessionId)
    return row.machine === deps.machine.name ? undefined : { elsewhere: { machines: [row.machine], isKnown: true } }
  }
}

/** Wraps an activity that needs the session's files or processes: on another machine it does nothing, and returns where it has to run. */
export const onItsMachine =
  <Input extends { readonly sessionId: string }, Result>(
    findElsewhere: FindElsewhere,
    activity: (input: Input) => Promise<Result>,
  ): ((input: Input) => Promise<Result>) =>
  async (input) => {
    const elsewhere = await findElsewhere(input.sessionId)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the workflow looks for it before it looks at any result
    return elsewhere === undefined ? activity(input) : (elsewhere as Result)
  }
