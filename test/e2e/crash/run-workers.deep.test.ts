import { expect, it } from "vitest"
import { workspaceQueueOf } from "../../../domain/engine/engine-names.ts"
import { newSessionId } from "../../../sessions/session-id.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { type CrashRig, openCrashRig } from "./crash-rig.ts"

const command = "echo begun >> started; until [ -e go ]; do sleep 0.05; done; echo finished"

const openRig = (): Promise<CrashRig> =>
  openCrashRig({ respond: (turn) => (turn === 1 ? createChatCalls(1, ["Bash", { command }]) : createChatText("done")) })

/** Starts a session as `adjutant run` does, and waits until its command runs. */
const startHosted = async (rig: CrashRig, sessionId: string): Promise<string> => {
  const id = await rig.start({ sessionId, hostQueue: workspaceQueueOf(rig.taskQueue, `run-${sessionId}`) })
  await eventually(async () => (await rig.lines("started")).length === 1)
  return id
}

const finish = async (rig: CrashRig, id: string): Promise<void> => {
  await rig.write("go", "")
  expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "done" })
  expect(await rig.lines("started")).toEqual(["begun"])
}

it("a run continues when the worker of another run, which executed its workflow, is killed", async () => {
  await using rig = await openRig()
  const root = newSessionId(12)
  const other = await rig.worker({ hostFor: newSessionId(12) })
  await rig.worker({ hostFor: root })
  const id = await startHosted(rig, root)
  await other.kill()
  await finish(rig, id)
})

it("a run continues when the worker of every session, which executed its workflow, is killed", async () => {
  await using rig = await openRig()
  const root = newSessionId(12)
  const everybody = await rig.worker()
  await rig.worker({ hostFor: root })
  const id = await startHosted(rig, root)
  await everybody.kill()
  await finish(rig, id)
})

it("a run leaves its workflow to a worker of every session that starts in the middle, and continues", async () => {
  await using rig = await openRig()
  const root = newSessionId(12)
  await rig.worker({ hostFor: root })
  const id = await startHosted(rig, root)
  await rig.worker()
  await finish(rig, id)
})
