import type { TestConfig } from "../engine/open-harness-at.ts"
import type { SessionRow } from "../../../store/store.ts"
import { eventually } from "../eventually.ts"
import { type Harness, openHarnessAt } from "../engine/open-harness-at.ts"
import type { FakeReply } from "../models/fake-model.ts"
import { createHeldModel, type HeldModel } from "../models/held-model.ts"

/** Sessions whose every model turn waits for the test, on an engine of its own. */
export interface HeldTree {
  readonly harness: Harness
  readonly model: HeldModel
  readonly actor: { readonly by: string; readonly via: "cli" }
  /** Starts a session and waits for its first turn. */
  start(request?: Parameters<Harness["start"]>[0]): Promise<string>
  untilAsked(id: string): Promise<void>
  untilStatus(id: string, status: string): Promise<void>
  /** Replies to the turn that waits. */
  say(id: string, reply: FakeReply): void
  /** Spawns a child by a call of the turn that waits, and waits for the next turn. */
  spawn(parentId: string, task: string): Promise<string>
  /** Replies to each turn with a quick call until the condition is true. */
  keepBusy(id: string, isOver: () => Promise<boolean>): Promise<void>
  /** Replies to each turn with the same text until the session has completed. */
  sayToTheEnd(id: string, text: string): Promise<void>
  /** Another session works from its start to its end. */
  work(): Promise<void>
  lengthOf(id: string): Promise<number>
  executionOf(id: string): Promise<string>
  detailsOf(id: string): Promise<string>
  close(): Promise<void>
}

/** Many turns on a busy machine; this only stops a hang. */
const patience = { timeoutMs: 300_000 }

const scripted = { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } as const

export const openHeldTree = async (address: string, config: TestConfig = {}): Promise<HeldTree> => {
  const model = createHeldModel()
  const harness = await openHarnessAt(address, {
    model: model.provider,
    config: {
      models: { main: scripted, light: scripted },
      agents: { general: { delegation: "sessions" } },
      subagents: { maxConcurrent: 1, maxChildrenPerAgent: 4 },
      ...config,
    },
  })
  const rowOf = async (id: string): Promise<SessionRow | undefined> => harness.store.sessions.get(id)
  const untilAsked = (id: string) => eventually(() => model.isWaiting(id), patience)
  const untilStatus = (id: string, status: string) =>
    eventually(async () => (await rowOf(id))?.status === status, patience)
  const say = (id: string, reply: FakeReply): void => {
    if (!model.reply(id, reply)) throw new Error(`no turn of ${id} waits`)
  }
  const childrenOf = async (id: string): Promise<readonly string[]> =>
    (await harness.store.sessions.list({ parentId: id, limit: 100 })).items.map((row) => row.id)
  const start: HeldTree["start"] = async (request = {}) => {
    const id = await harness.start({ prompt: "PARENT", auto_approve: false, max_steps: 200, ...request })
    await untilAsked(id)
    return id
  }
  const sayToTheEnd = (id: string, text: string) =>
    eventually(async () => {
      if (model.isWaiting(id)) model.reply(id, { text })
      return (await rowOf(id))?.status === "completed"
    }, patience)
  return {
    harness,
    model,
    actor: { by: "test", via: "cli" },
    start,
    untilAsked,
    untilStatus,
    say,
    async spawn(parentId, task) {
      const before = await childrenOf(parentId)
      say(parentId, { calls: [["sessions_spawn", { task }]] })
      await untilAsked(parentId)
      const [child] = (await childrenOf(parentId)).filter((id) => !before.includes(id))
      if (child === undefined) throw new Error(`${parentId} started no child`)
      return child
    },
    keepBusy: (id, isOver) =>
      eventually(async () => {
        if (model.isWaiting(id)) model.reply(id, { calls: [["LS", {}]] })
        return isOver()
      }, patience),
    sayToTheEnd,
    async work() {
      const id = await start({ allowed_tools: ["LS"] })
      say(id, { calls: [["LS", {}]] })
      await sayToTheEnd(id, "done")
    },
    lengthOf: async (id) => Number((await harness.handle(id).describe()).raw.workflowExecutionInfo?.historyLength),
    executionOf: async (id) => (await harness.handle(id).describe()).runId,
    detailsOf: async (id) =>
      (await harness.handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")).currentDetails ??
      "",
    close: () => harness.close(),
  }
}
