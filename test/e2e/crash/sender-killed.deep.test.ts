import { afterEach, describe, expect, it } from "vitest"
import { isDeep } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import { receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"
import type { CrashPointInput } from "../../helpers/worker/worker-order.ts"
import { type CrashRig, openCrashRig } from "./crash-rig.ts"

let rig: CrashRig

afterEach(() => rig.close())

/** `npm test` runs the first two. */
const crashPoints: readonly (readonly [string, CrashPointInput, number])[] = [
  ["between sending and recording", { method: "deliveries.patch", when: "before", containing: "delivered" }, 2],
  ["before the delivery is started", { method: "deliveries.create", when: "after" }, 1],
  ["before it knows what to send", { method: "deliveries.create", when: "before" }, 1],
  ["before it sends", { method: "deliveries.patch", when: "after" }, 1],
  ["right after recording", { method: "deliveries.patch", when: "after", containing: "delivered" }, 1],
]

describe("a worker killed by SIGKILL during an announcement", () => {
  it.each(isDeep ? crashPoints : crashPoints.slice(0, 2))(
    "%s: the receiver sees one effect",
    async (_, crashAt, requests) => {
      const receiver = await startReceiver()
      rig = await openCrashRig({
        respond: () => createChatText("All good."),
        webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET" }],
        timing: { deliveryInitialMs: 20, deliveryMaxMs: 100, deliveryTimeoutMs: 30_000 },
        env: { HOOK_SECRET: receiverSecret },
      })
      const { client, start, worker } = rig
      const first = await worker({ crashAt })
      const id = await start()
      expect(await first.ended).toMatchObject({ signal: "SIGKILL" })
      await worker()
      expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "All good." })
      await eventually(async () => (await client.deliveries.list()).items[0]?.status === "delivered")
      expect(receiver.requests).toHaveLength(requests)
      expect(receiver.effects).toMatchObject([{ body: { type: "run-finished", session: { id } } }])
    },
  )
})
