import { describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls, createHangingChatAnswer, readWireToolResults } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { type CrashRig, type CrashRigOptions, openCrashRig } from "./crash-rig.ts"

const actor = { by: "test", via: "cli" }

const open = (respond: CrashRigOptions["respond"]): Promise<CrashRig> => openCrashRig({ respond })

describe.concurrent("a worker killed by SIGKILL", () => {
  it("again and again in the middle of Bash still runs it once", async () => {
    await using rig = await open((turn) =>
      turn === 1 ? createChatCalls(1, ["Bash", { command: "echo run >> counter; sleep 600" }]) : createChatText("done"),
    )
    const first = await rig.worker()
    const id = await rig.start()
    await eventually(async () => (await rig.lines("counter")).length === 1)
    await first.kill()
    const second = await rig.worker({ crashAt: { method: "claims.claim", when: "after" } })
    await second.ended
    await rig.worker()
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 2 })
    expect(await rig.lines("counter")).toEqual(["run"])
  })

  it("during a call that is safe to repeat repeats it", async () => {
    await using rig = await open((turn) =>
      turn === 1 ? createChatCalls(1, ["Read", { file_path: "a.txt" }]) : createChatText("done"),
    )
    await rig.write("a.txt", "content\n")
    const first = await rig.worker({ crashAt: { method: "messages.put", when: "before", containing: "a.txt" } })
    const id = await rig.start()
    await first.ended
    await rig.worker()
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(readWireToolResults(rig.lastRequest())).toEqual([expect.stringContaining("content")])
  })

  it("loses no message: steering and follow-ups sent while no worker runs are all read, in order", async () => {
    await using rig = await open((turn, __, index) => {
      if (index === 0) return createHangingChatAnswer("…")
      return turn === 1 ? createChatCalls(1, ["LS", {}]) : createChatText(`answer ${turn}`)
    })
    const first = await rig.worker()
    const id = await rig.start()
    await rig.model.waitForRequest(1)
    await first.kill()
    for (const [text, type] of [
      ["left", "steering"],
      ["right", "steering"],
      ["more", "follow_up"],
    ] as const)
      expect((await rig.client.send({ sessionId: id, text, type, actor })).state).toBe("accepted")
    await rig.worker()
    await eventually(
      async () => (await rig.store.runs.list(id)).length === 2 && (await rig.client.info(id)).status === "completed",
    )
    const texts = (await rig.client.messages(id)).flatMap(({ message }) =>
      message.role === "user" ? [message.text] : [],
    )
    expect(texts).toEqual(["Do it.", "left", "right", "more"])
  })
})
