import { expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls, createHangingChatAnswer, readWireToolResults } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { type CrashRig, openCrashRig } from "./crash-rig.ts"

/** The heartbeat timeout of the liveness profile, which no test waits for. */
const timing = { heartbeatTimeoutMs: 0 }

/** Returns why the attempts before the last one of each activity failed. */
const earlierFailures = async (rig: CrashRig, id: string): Promise<readonly (string | null | undefined)[]> => {
  const { events } = await rig.handle(id).fetchHistory()
  return (events ?? []).flatMap(({ activityTaskStartedEventAttributes: begun }) =>
    begun?.lastFailure == null ? [] : [begun.lastFailure.applicationFailureInfo?.type],
  )
}

/** Returns how many workflow tasks were offered to a worker that did not take them in time. */
const lateTasks = async (rig: CrashRig, id: string): Promise<number> => {
  const { events } = await rig.handle(id).fetchHistory()
  return (events ?? []).filter(({ workflowTaskTimedOutEventAttributes: late }) => late != null).length
}

it("a starting worker takes over the model call of one that was killed, and does not wait for its heartbeats", async () => {
  await using rig = await openCrashRig({
    respond: (_, __, index) =>
      index === 0 ? createHangingChatAnswer("half a thou") : createChatText("a whole thought"),
    timing,
  })
  const first = await rig.worker()
  const id = await rig.start()
  await eventually(() => rig.model.requests.length === 1)
  await first.kill()
  await rig.worker()
  expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "a whole thought" })
  expect(await earlierFailures(rig, id)).toEqual(["worker_died"])
  expect(await lateTasks(rig, id)).toBe(0)
})

it("a starting worker leaves the calls of a running one", async () => {
  const command = "echo run >> counter; until [ -e go ]; do sleep 0.05; done; echo finished"
  await using rig = await openCrashRig({
    respond: (turn) => (turn === 1 ? createChatCalls(1, ["Bash", { command }]) : createChatText("done")),
    timing,
  })
  const killed = await rig.worker()
  await killed.kill()
  await rig.worker()
  const id = await rig.start()
  await eventually(async () => (await rig.lines("counter")).length === 1)
  await rig.worker()
  await rig.write("go", "")
  expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed" })
  expect(readWireToolResults(rig.lastRequest())).toEqual(["finished"])
  expect(await earlierFailures(rig, id)).toEqual([])
})
