import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isAlive, signalProcess } from "../../../server/process/process-identity.ts"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { startTestServer, type TestServer } from "../../helpers/engine/temporal-server.ts"
import { openCrashRig } from "./crash-rig.ts"

let server: TestServer
const actor = { by: "test", via: "cli" }

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Sends SIGKILL; the keeper restarts the server with the same data and address. */
const killServer = async (): Promise<void> => {
  const died = liveRecord(server.dataDir)
  if (died === undefined) throw new Error("no server runs")
  signalProcess(died, "SIGKILL")
  await eventually(() => !isAlive(died))
}

describe("a Temporal server killed by SIGKILL", () => {
  it("in the middle of Bash, and while a session is paused, loses nothing", async () => {
    await using rig = await openCrashRig({
      address: server.address,
      respond: (turn, request) => {
        if (turn > 1) return createChatText("done")
        const isPausing = JSON.stringify(request.body).includes("PAUSE")
        const command = isPausing
          ? "echo run >> paused-counter"
          : "echo run >> counter; until [ -e go ]; do sleep 0.05; done"
        return createChatCalls(1, ["Bash", { command }])
      },
    })
    await rig.worker()
    const paused = await rig.start({ prompt: "PAUSE", auto_approve: false })
    const document = await rig.client.wait(paused)
    if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
    const running = await rig.start({ prompt: "RUN" })
    await eventually(async () => (await rig.lines("counter")).length === 1)

    await killServer()
    await rig.write("go", "")
    await rig.client.decide({
      sessionId: paused,
      checkpointId: document.checkpoint_id,
      all: { action: "accept" },
      unlisted: "pending",
      actor,
    })
    expect(await rig.client.wait(running)).toMatchObject({ outcome: "completed", final_message: "done" })
    await eventually(async () => (await rig.client.info(paused)).status === "completed", { timeoutMs: 60_000 })
    expect(await rig.lines("counter")).toEqual(["run"])
    expect(await rig.lines("paused-counter")).toEqual(["run"])
    const [tool] = (await rig.client.messages(running)).filter(({ message }) => message.role === "tool")
    expect(tool?.message).toMatchObject({ outcome: "ok" })
  })
})
