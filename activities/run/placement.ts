import type { Elsewhere } from "../../domain/engine/elsewhere.ts"
import { placementOf } from "../../domain/engine/placement.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Returns where the calls of a session have to run instead; undefined if this machine has its working directory. */
export type FindElsewhere = (sessionId: string) => Promise<Elsewhere | undefined>

const keptSessions = 10_000

/**
 * Creates the check of where a session's calls run. A session stays on its machine, so one that belongs to this one is looked up once. One without a
 * machine is given to this one if it has the directory.
 */
export const createFindElsewhere = ({
  store: { machines },
  machine,
}: Pick<AgentDependencies, "store" | "machine">): FindElsewhere => {
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
      const found = await machine.identify(place.cwd)
      const facts = { ...place, found, here: machine.name, machines: await machines.list() }
      const placement = placementOf(facts)
      if (placement.kind === "here") return undefined
      if (placement.kind === "elsewhere")
        return { elsewhere: { machines: placement.machines, isKnown: placement.isKnown } }
      const here = { machine: machine.name, directory: placement.directory }
      if (await machines.move(sessionId, place.machine, here)) return keep(sessionId)
    }
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
