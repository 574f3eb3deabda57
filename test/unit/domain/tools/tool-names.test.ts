import { describe, expect, it } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { delegationToolNames, isOfferedTool, offeredDelegationNames } from "../../../../domain/tools/tool-names.ts"
import { modelSpec } from "../../../helpers/providers/model-request.ts"
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

describe("apply_patch", () => {
  const offered = (model: string, over: Partial<RunSnapshot> = {}) =>
    isOfferedTool(
      {
        ...{ tools: ["Write", "apply_patch"], deniedTools: [], model: "main" },
        ...over,
        models: { main: modelSpec({ model }) },
      },
      "apply_patch",
    )

  it.each(["gpt-6.1-sol", "openai/gpt-5.5", "azure.gpt-5", "codex-mini-latest", "o3", "o4-mini", "ft:gpt-4.1:own"])(
    "is offered to %s",
    (model) => expect(offered(model)).toBe(true),
  )

  it.each(["claude-opus-5-5", "qwen3", "o-model", "gemini-3-pro", "nongpt-5"])("is not offered to %s", (model) =>
    expect(offered(model)).toBe(false),
  )

  it("is not offered to a run that may not write, or does not list it", () => {
    for (const denied of ["Write", "Edit", "apply_patch", "*"])
      expect(offered("gpt-6.1-sol", { deniedTools: [denied] })).toBe(false)
    expect(offered("gpt-6.1-sol", { tools: ["Write"] })).toBe(false)
    expect(offered("gpt-6.1-sol", { model: "other" })).toBe(false)
  })
})
