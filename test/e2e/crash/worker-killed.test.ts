import { describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls, createHangingChatAnswer, readWireToolResults } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { markedProcesses, markNames } from "../../../tools/sandbox/process/process-mark.ts"
import { type CrashRig, type CrashRigOptions, openCrashRig } from "./crash-rig.ts"

const actor = { by: "test", via: "cli" }

const open = (respond: CrashRigOptions["respond"]): Promise<CrashRig> => openCrashRig({ respond })

const ofSession = (sessionId: string) => markedProcesses({ name: markNames.owner, value: sessionId })

const roles = async (rig: CrashRig, id: string): Promise<readonly string[]> =>
  (await rig.client.messages(id)).map(({ message }) => message.role)

describe.concurrent("a worker killed by SIGKILL", () => {
  it("in the middle of a model call loses nothing: the next worker calls the model again", async () => {
    await using rig = await open((_, __, index) =>
      index === 0 ? createHangingChatAnswer("half a thou") : createChatText("a whole thought"),
    )
    const first = await rig.worker()
    const id = await rig.start()
    await eventually(async () =>
      (await rig.store.events.read(id, { after: 0, limit: 100 })).events.some(({ type }) => type === "text-delta"),
    )
    await first.kill()
    await rig.worker()
    expect(await rig.client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: "a whole thought",
      steps_taken: 1,
    })
    expect(await roles(rig, id)).toEqual(["user", "assistant"])
    expect(rig.model.requests).toHaveLength(2)
  })

  it("in the middle of a model call that is then cancelled leaves a cancelled run", async () => {
    // The cancel reaches the workflow before the dead worker is noticed.
    await using rig = await openCrashRig({
      respond: () => createHangingChatAnswer("half a thou"),
      timing: { heartbeatTimeoutMs: 10_000 },
    })
    const first = await rig.worker()
    const id = await rig.start()
    await rig.model.waitForRequest(1)
    await rig.worker()
    await first.kill()
    await rig.client.cancel(id, actor)
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "failed", stop_reason: "cancelled" })
    await eventually(async () => (await rig.handle(id).describe()).status.name === "CANCELLED")
    expect(rig.model.requests).toHaveLength(1)
  })

  it("in the middle of Bash never runs the command twice, informs the model, and leaves no process behind", async () => {
    await using rig = await open((turn) =>
      turn === 1
        ? createChatCalls(1, ["Bash", { command: "echo run >> counter; sleep 600 & sleep 600" }])
        : createChatText("I will look first."),
    )
    const first = await rig.worker()
    // A worker has no sandbox on every machine.
    const id = await rig.start({ sandbox: "off" })
    await eventually(async () => (await rig.lines("counter")).length === 1)
    await first.kill()
    await eventually(async () => (await ofSession(id)).length === 0)
    await rig.worker()
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "I will look first." })
    expect(await rig.lines("counter")).toEqual(["run"])
    expect(readWireToolResults(rig.lastRequest())).toEqual([expect.stringMatching(/^outcome unknown: Bash/)])
  })

  it("between a Write and its result never overwrites what was written since", async () => {
    await using rig = await open((turn) =>
      turn === 1
        ? createChatCalls(1, ["Write", { file_path: "a.txt", content: "from the model\n" }])
        : createChatText("done"),
    )
    const first = await rig.worker({ crashAt: { method: "claims.finish", when: "before" } })
    const id = await rig.start()
    await first.ended
    expect(await rig.lines("a.txt")).toEqual(["from the model"])
    await rig.write("a.txt", "from a person\n")
    await rig.worker()
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await rig.lines("a.txt")).toEqual(["from a person"])
    expect(readWireToolResults(rig.lastRequest())).toEqual([expect.stringMatching(/^outcome unknown: Write/)])
  })

  it("while paused loses nothing: a decision sent meanwhile is applied by the next worker", async () => {
    await using rig = await open((turn) =>
      turn === 1
        ? createChatCalls(1, ["Write", { file_path: "a.txt", content: "approved\n" }])
        : createChatText("done"),
    )
    const first = await rig.worker()
    const id = await rig.start({ auto_approve: false })
    const document = await rig.client.wait(id)
    if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
    await first.kill()
    const sent = await rig.client.decide({
      sessionId: id,
      checkpointId: document.checkpoint_id,
      decisions: { call_1_1: { action: "accept" } },
      unlisted: "pending",
      actor,
    })
    expect(sent.state).toBe("accepted")
    expect(await rig.lines("a.txt")).toEqual([])
    await rig.worker()
    await eventually(async () => (await rig.client.info(id)).status === "completed")
    expect(await rig.lines("a.txt")).toEqual(["approved"])
  })
})
