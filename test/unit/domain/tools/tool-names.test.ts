import { describe, expect, it } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { delegationToolNames, offeredDelegationNames } from "../../../../domain/tools/tool-names.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"

const run = (over: Partial<RunSnapshot>, maxSpawnDepth = 3): RunSnapshot => ({
  ...baseSnapshot,
  delegation: "sessions",
  ...over,
  subagents: { ...baseSnapshot.subagents, maxSpawnDepth },
})

describe("the delegation tools that a model is offered", () => {
  it("are all tools of its family at the root", () => {
    expect(offeredDelegationNames(run({}), 0)).toEqual(delegationToolNames.sessions)
    expect(offeredDelegationNames(run({ delegation: "none" }), 0)).toEqual([])
  })

  it.each([1, 2])("are spawn, subagents, list, history and merge for an orchestrator at depth %i", (depth) => {
    expect(offeredDelegationNames(run({}), depth).toSorted()).toEqual([
      "sessions_history",
      "sessions_list",
      "sessions_merge",
      "sessions_spawn",
      "subagents",
    ])
  })

  it("do not include any for a leaf, whatever its list names", () => {
    expect(offeredDelegationNames(run({}), 3)).toEqual([])
    expect(offeredDelegationNames(run({ delegationTools: ["sessions_spawn"] }, 1), 1)).toEqual([])
  })

  it("are those in its list, limited for an orchestrator to its own, and the other families completely", () => {
    const named = run({ delegationTools: ["sessions_send", "sessions_spawn"] })
    expect(offeredDelegationNames(named, 0)).toEqual(["sessions_send", "sessions_spawn"])
    expect(offeredDelegationNames(named, 1)).toEqual(["sessions_spawn"])
    expect(offeredDelegationNames(run({ delegation: "tasks" }), 1)).toEqual(delegationToolNames.tasks)
  })
})
