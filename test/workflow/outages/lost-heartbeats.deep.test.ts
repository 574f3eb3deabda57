import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject, it, expect } from "vitest"
import { setTimeout as delay } from "node:timers/promises"
import { openHarnessAt } from "../../helpers/engine/open-harness-at.ts"
import { startSwallowingProxy } from "../../helpers/engine/swallowing-proxy.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"

// A worker that was cut off from Temporal for longer than its heartbeat timeout answered `outcome unknown` for a command that it ran itself, and killed it
// during the next step.

const heartbeatTimeoutMs = 1_500
/** A pending activity, as the engine numbers its states. */
const isStarted = 2

it("lets a command end whose worker was cut off from Temporal, and runs it once", async () => {
  await using proxy = await startSwallowingProxy(inject("temporalAddress"))
  const command = "echo begun >> ran; while [ ! -e go ]; do sleep 0.1; done; echo ended >> ran"
  const model = createFakeTurns({ calls: [["Bash", { command }]] }, { text: "Done." })
  const harness = await openHarnessAt(proxy.address, { model, config: { timing: { heartbeatTimeoutMs } } })
  try {
    const { start, client, store, cwd, handle } = harness
    const id = await start()
    const ran = () => (existsSync(join(cwd, "ran")) ? readFileSync(join(cwd, "ran"), "utf8") : "")
    await eventually(() => ran() === "begun\n")
    proxy.swallow()
    await delay(3 * heartbeatTimeoutMs)
    proxy.pass()
    // The next attempt has begun: it waits for the command.
    await eventually(async () => {
      const { raw } = await handle(id).describe()
      return raw.pendingActivities?.some(({ attempt, state }) => (attempt ?? 0) > 1 && state === isStarted) === true
    })
    await delay(2 * heartbeatTimeoutMs)
    writeFileSync(join(cwd, "go"), "")
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(ran()).toBe("begun\nended\n")
    const rows = await store.messages.read(id, { headSeq: 10 })
    expect(rows.map(({ message }) => (message.role === "tool" ? message.outcome : message.role))).toEqual([
      "user",
      "assistant",
      "ok",
      "assistant",
    ])
  } finally {
    proxy.pass()
    await harness.close()
  }
})
