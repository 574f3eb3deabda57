import { expect, it, vi } from "vitest"
import { type ConfigInput, configSchema } from "../../../contracts/config/config.ts"
import { readWork, watchIdle, watchSchedules } from "../../../service/idle.ts"

type Client = Parameters<typeof readWork>[0]
type Status = "running" | "pending" | "paused"

const work = async (
  counts: Partial<Record<Status, number>> = {},
  { config = {}, deliveries = 0, bindings = 0 }: { config?: ConfigInput; deliveries?: number; bindings?: number } = {},
) => {
  const pages = (length: number) => async () => ({ items: Array.from({ length }), next_cursor: null })
  const none = { pending: 0, running: 0, paused: 0, completed: 0, failed: 0, cancelled: 0, timed_out: 0 }
  const client = {
    counts: async () => ({ ...none, ...counts }),
    deliveries: { list: pages(deliveries) },
    channels: { bindings: pages(bindings) },
  } as unknown as Client
  return (await readWork(client, configSchema.parse(config))).keptBy
}

const webhooks = [{ url: "https://example.com", secretEnv: "S", events: ["run-paused" as const] }]

it("stays while something runs, waits to start or is due, and while a client outside expects it", async () => {
  expect(await work()).toBeUndefined()
  expect(await work({ running: 1 })).toBe("tasks run")
  expect(await work({ pending: 1 })).toBe("tasks run")
  expect(await work({}, { deliveries: 1 })).toBe("a delivery is due")
  expect(await work({}, { bindings: 1 })).toBe("a thread is bound to a task")
  expect(await work({}, { config: { inbound: { ci: { type: "standard", secretEnv: "S" } } } })).toBe(
    "an inbound hook is configured",
  )
})

it("stays for a schedule that was added, and remembers the last look while the engine does not answer", async () => {
  const list = vi.fn<() => Promise<readonly { readonly origin: string }[]>>()
  const { keptBy, look } = watchSchedules({ schedules: { list } } as unknown as Parameters<typeof watchSchedules>[0])
  list.mockResolvedValueOnce([{ origin: "configuration" }])
  expect([await look(), keptBy()]).toEqual([false, undefined])
  list.mockResolvedValueOnce([{ origin: "configuration" }, { origin: "added" }])
  expect([await look(), keptBy()]).toEqual([true, "a schedule was added"])
  list.mockRejectedValueOnce(new Error("no answer"))
  await expect(look()).rejects.toThrow("no answer")
  expect(keptBy()).toBe("a schedule was added")
})

it("stays for a pause only if it was sent to a receiver", async () => {
  expect(await work({ paused: 2 })).toBeUndefined()
  expect(await work({ paused: 2 }, { config: { webhooks } })).toBe("a pause was sent to a webhook")
  expect(await work({}, { config: { webhooks } })).toBeUndefined()
})

it("is idle when every look for the whole time found nothing to do, and a look that fails counts as work", async () => {
  const answers: (() => Promise<boolean>)[] = [
    async () => true,
    () => Promise.reject(new Error("busy")),
    async () => false,
  ]
  let looks = 0
  const { idle, stop } = watchIdle(() => answers[Math.min(looks++, answers.length - 1)]?.() ?? Promise.resolve(true), {
    idleMs: 20,
    everyMs: 5,
  })
  await idle
  stop()
  expect(looks).toBeGreaterThanOrEqual(3)
})
