import { describe, expect, it } from "vitest"
import { markedProcesses, markNames } from "../../../tools/sandbox/process/process-mark.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls, createHangingChatAnswer, readWireToolResults } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { openCrashRig } from "./crash-rig.ts"

const bashThenText = (command: string) => (turn: number) =>
  turn === 1 ? createChatCalls(1, ["Bash", { command }]) : createChatText("done")

describe.concurrent("a worker stopped by SIGTERM", () => {
  it("in the middle of Bash lets it finish if the grace time is long enough", async () => {
    const command = "echo run >> counter; until [ -e go ]; do sleep 0.05; done; echo finished"
    await using rig = await openCrashRig({ respond: bashThenText(command) })
    const first = await rig.worker({ shutdownGraceMs: 60_000 })
    const id = await rig.start()
    await eventually(async () => (await rig.lines("counter")).length === 1)
    const stopped = first.stop()
    await rig.write("go", "")
    expect(await stopped).toBe(0)
    await rig.startWorker()
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await rig.lines("counter")).toEqual(["run"])
    expect(readWireToolResults(rig.lastRequest())).toEqual(["finished"])
  })

  it("in the middle of Bash ends it with everything that it started if the grace time is too short, and it does not run again", async () => {
    const command = "echo run >> counter; sleep 600 & sleep 600"
    await using rig = await openCrashRig({ respond: bashThenText(command) })
    const first = await rig.worker({ shutdownGraceMs: 100 })
    const id = await rig.start()
    await eventually(async () => (await rig.lines("counter")).length === 1)
    expect(await first.stop()).toBe(0)
    expect(await markedProcesses({ name: markNames.owner, value: id })).toEqual([])
    await rig.startWorker()
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await rig.lines("counter")).toEqual(["run"])
    expect(readWireToolResults(rig.lastRequest())).toEqual([expect.stringMatching(/^outcome unknown: Bash/)])
  })

  it("in the middle of a model call leaves the next worker to repeat the whole call, and half an answer does not count", async () => {
    await using rig = await openCrashRig({
      respond: (_, __, index) =>
        index === 0 ? createHangingChatAnswer("half a thou") : createChatText("a whole thought"),
    })
    const first = await rig.worker({ shutdownGraceMs: 100 })
    const id = await rig.start()
    await eventually(async () =>
      (await rig.store.events.read(id, { after: 0, limit: 100 })).events.some(({ type }) => type === "text-delta"),
    )
    expect(await first.stop()).toBe(0)
    await rig.startWorker()
    expect(await rig.client.wait(id)).toMatchObject({ final_message: "a whole thought", steps_taken: 1 })
    expect((await rig.client.messages(id)).map(({ message }) => message.role)).toEqual(["user", "assistant"])
  })
})
