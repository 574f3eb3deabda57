import { z } from "zod"
import type { RemoteActor } from "../../../sessions/actor.ts"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { SessionRow } from "../../../store/store.ts"
import type { Tool } from "../../../tools/tool.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { openHarness } from "../../helpers/engine/workflow-harness.ts"
import type { Rig } from "../limits/limits-rig.ts"

const scripted = { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } as const

const config: ConfigInput = {
  models: { main: scripted, light: scripted },
  agents: {
    general: { delegation: "sessions", subagents: { allowAgents: ["*"] } },
    tasker: { delegation: "tasks" },
  },
  subagents: { maxSpawnDepth: 3, maxChildrenPerAgent: 3, maxConcurrent: 0 },
  timing: { continueAsNewAfterEvents: 60 },
}

const mayApprove = (approval: "all" | "policy"): RemoteActor["authority"] => ({ approval, directories: "any" })

/** Two callers: one who may approve calls, and one who may not. */
export const callers = {
  approver: { by: "ana", via: "http", kind: "person", authority: mayApprove("all") },
  runner: { by: "ci", via: "http", kind: "program", authority: mayApprove("policy") },
} as const satisfies Record<string, RemoteActor>
export type CallerName = keyof typeof callers

/** Contained in every text of the runner, and in every text that an agent writes after it has read one. */
export const mark = "(asked by the runner)"

/** A call that a model was told to propose. */
export interface ProposedMutation {
  readonly sessionId: string
  readonly isMarked: boolean
}

/** Sessions whose models wait for the test's replies, and a tool that needs approval by policy. */
export interface ApprovalRig extends Rig {
  /** The proposed calls, by the argument that names them. */
  readonly proposed: Map<string, ProposedMutation>
  /** Sessions whose first run began with every call approved. */
  readonly free: Set<string>
  /** Names of the calls that ran, as the tool itself received them. */
  readonly executed: ReadonlySet<string>
}

export const openApprovalRig = async (): Promise<ApprovalRig> => {
  const executed = new Set<string>()
  const mutate: Tool<{ name: string }> = {
    name: "Mutate",
    description: "Changes something.",
    input: z.strictObject({ name: z.string() }),
    readOnly: false,
    idempotent: false,
    execute: async ({ name }) => {
      executed.add(name)
      return { content: `${name} is done` }
    },
  }
  const model = createHeldModel()
  const harness = await openHarness({ model: model.provider, config, tools: [mutate] as readonly Tool[] })
  const rig = { ...harness, model, calls: [], approved: new Set<string>(), past: new Set<string>() }
  return { ...rig, cancelled: new Map<string, string | null>(), proposed: new Map(), free: new Set(), executed }
}

/** Returns whether the model has read a text of the runner, directly or through others. */
export const hasReadMark = async ({ store }: ApprovalRig, row: SessionRow): Promise<boolean> => {
  const rows = await store.messages.read(row.id, { headSeq: Number.MAX_SAFE_INTEGER })
  return rows.some(({ message }) => JSON.stringify(message).includes(mark))
}
