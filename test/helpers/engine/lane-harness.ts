import type { LaneAnswer } from "../../../domain/lane/lane-message.ts"
import { laneWorkflowId } from "../../../domain/engine/engine-names.ts"
import type { SessionRow, Store } from "../../../store/store.ts"
import { eventually } from "../eventually.ts"
import { createFakeModel, type FakeReply } from "../models/fake-model.ts"
import { wrapStore } from "../store/wrap-store.ts"
import type { Harness } from "./workflow-harness.ts"

/** Wraps a store so that a worker treats every session as a sub-agent of depth 1. */
export const treatAsSubAgents = (store: Store): Store =>
  wrapStore(store, async (method, _, call) => {
    const answer = await call()
    if (method !== "sessions.get" || answer === undefined) return answer
    return { ...(answer as SessionRow), depth: 1 }
  })

/** Creates model turns that wait for the test. Each turn is known by the first message of its session. */
export const createGates = () => {
  const started: string[] = []
  const open = new Map<string, () => void>()
  let mostAtOnce = 0
  const atWork = new Set<string>()
  const model = createFakeModel(async (request, turn): Promise<FakeReply> => {
    const [first] = request.messages
    const name = first?.role === "user" ? first.text : ""
    started.push(`${name}.${turn}`)
    atWork.add(name)
    mostAtOnce = Math.max(mostAtOnce, atWork.size)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    open.set(name, resolve)
    request.signal.addEventListener("abort", () => reject(new Error("aborted")))
    try {
      await promise
    } finally {
      atWork.delete(name)
      // A turn that a stopped worker gave up must not take what is meant for its repetition.
      if (open.get(name) === resolve) open.delete(name)
    }
    return name.startsWith("asks") && turn === 1
      ? { text: "Which one?" }
      : name.startsWith("asks")
        ? { calls: [["finish", { result: "done" }]] }
        : { text: `${name} is done` }
  })
  return {
    model,
    started: started as readonly string[],
    mostAtOnce: () => mostAtOnce,
    /** Waits until the session's turn has begun, then lets it end. */
    async pass(name: string): Promise<void> {
      await eventually(() => open.has(name))
      open.get(name)?.()
      open.delete(name)
    },
    waitUntilStarted: (turn: string) => eventually(() => started.includes(turn)),
  }
}

export const getLaneHandle = ({ temporal, taskQueue }: Harness) =>
  temporal.workflow.getHandle(laneWorkflowId(taskQueue))

export const queryLane = (harness: Harness): Promise<LaneAnswer> => getLaneHandle(harness).query<LaneAnswer>("queue")

export const waitUntilQueued = (harness: Harness, ids: readonly string[]): Promise<void> =>
  eventually(async () => {
    const { queued } = await queryLane(harness)
    return JSON.stringify(queued.map(({ workflow_id }) => workflow_id.replace("subagent/", ""))) === JSON.stringify(ids)
  })
