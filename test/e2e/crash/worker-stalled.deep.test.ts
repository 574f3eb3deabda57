import { setTimeout as stall } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls, readWireToolResults } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { openCrashRig } from "./crash-rig.ts"

/** What both liveness profiles promise to outlast. */
const stallMs = 15_000

describe.concurrent("a worker whose process stalls", () => {
  it.each(["embedded", "cluster"] as const)("loses no call: %s", async (liveness) => {
    const command = "echo run >> counter; until [ -e go ]; do sleep 0.05; done; echo finished"
    await using rig = await openCrashRig({
      respond: (turn) => (turn === 1 ? createChatCalls(1, ["Bash", { command }]) : createChatText("done")),
      timing: { heartbeatTimeoutMs: 0 },
    })
    const worker = await rig.worker({ liveness })
    const id = await rig.start()
    await eventually(async () => (await rig.lines("counter")).length === 1)
    process.kill(worker.pid, "SIGSTOP")
    await stall(stallMs)
    process.kill(worker.pid, "SIGCONT")
    await rig.write("go", "")
    expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await rig.lines("counter")).toEqual(["run"])
    expect(readWireToolResults(rig.lastRequest())).toEqual(["finished"])
  })
})
