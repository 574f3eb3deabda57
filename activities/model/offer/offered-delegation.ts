import { z } from "zod"
import { type DelegationTool, delegationTools } from "../../../contracts/delegation/delegation-tools.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { delegationToolsOf, hasToolFor, offeredDelegationNames } from "../../../domain/tools/tool-names.ts"
import type { ToolSpec } from "../../../models/model-provider.ts"

const byName = new Map(delegationTools.map((tool) => [tool.name, tool]))
const specs = new Map<string, ToolSpec>()

/** How an agent in a run gets the results of its sub-agents. */
const deliveryNote = "Do not poll: results are delivered to you, or you can wait for them."

const delegationSpec = (tool: DelegationTool): ToolSpec => {
  const known = specs.get(tool.name)
  if (known !== undefined) return known
  const spec = {
    name: tool.name,
    description: tool.isAwaited === true ? `${tool.description} ${deliveryNote}` : tool.description,
    inputSchema: z.toJSONSchema(tool.input, { io: "input" }),
  }
  specs.set(tool.name, spec)
  return spec
}

/** Returns the delegation tools of a run's family, regardless of its depth. */
export const delegationOf = (snapshot: RunSnapshot): readonly DelegationTool[] =>
  delegationToolsOf(snapshot)
    .filter((name) => hasToolFor(snapshot, name))
    .flatMap((name) => byName.get(name) ?? [])

/** Returns the delegation tools that the model is offered: none for a leaf, and for a sub-agent those with which it manages its own children. */
export const offeredDelegation = (snapshot: RunSnapshot, depth: number): readonly ToolSpec[] =>
  offeredDelegationNames(snapshot, depth).flatMap((name) => {
    const tool = byName.get(name)
    return tool === undefined || !hasToolFor(snapshot, name) ? [] : [delegationSpec(tool)]
  })
