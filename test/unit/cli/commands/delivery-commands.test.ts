import { describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import type { AdjutantClient } from "../../../../client/create-client.ts"
import type { BindingView } from "../../../../sessions/channels/binding-view.ts"
import type { DeliveryView } from "../../../../sessions/delivery/delivery-view.ts"
import { stubEnvironment } from "../stub-environment.ts"

const delivery: DeliveryView = {
  id: "dlv_1",
  kind: "webhook",
  type: "run-finished",
  session_id: "abc123",
  run_id: "run_1",
  receiver: "example.test",
  status: "failed",
  attempts: 3,
  last_error: "the receiver answered \u001b[31m410",
  next_try_at: null,
  created_at: "2026-11-21T10:00:00.000Z",
  updated_at: "2026-11-21T10:00:00.000Z",
}

const binding: BindingView = {
  session_id: "abc123",
  channel: "team",
  thread_key: "t1",
  idle_ms: 5_400_000,
  max_age_ms: 0,
  bound_at: "2026-11-21T10:00:00.000Z",
  active_at: "2026-11-21T10:00:00.000Z",
  expires_at: null,
}

const run = async (argv: readonly string[]) => {
  const asked: unknown[] = []
  const note =
    <T>(answer: T) =>
    async (...args: readonly unknown[]): Promise<T> => {
      asked.push(...args.filter((arg) => typeof arg !== "object" || arg === null || !("via" in arg)))
      return answer
    }
  const client: Partial<AdjutantClient> = {
    deliveries: {
      list: note({ items: [delivery], next_cursor: null }),
      retry: note({ ...delivery, status: "pending" as const }),
      dismiss: note({ ...delivery, status: "dismissed" as const }),
    },
    channels: {
      receive: async () => ({ kind: "ignored" }),
      focus: note(binding),
      unfocus: note(binding),
      sessionOf: note("abc123"),
      bindingOf: note({ ...binding, expires_at: "2026-11-27T10:00:00.000Z" }),
      setExpiry: note(binding),
      bindings: async () => ({ items: [], next_cursor: null }),
    },
  }
  const stub = stubEnvironment({ client })
  const exitCode = await runCli(argv, stub.environment)
  return { exitCode, asked, handsOver: stub.calls.some(({ name }) => name === "handOver"), ...stub.written }
}

describe("retry", () => {
  it("calls the model of a task if there is no delivery with this id", async () => {
    const asked: string[] = []
    const retry: AdjutantClient["retry"] = async (id) => {
      asked.push(id)
      return { status: "running" }
    }
    const { environment, written } = stubEnvironment({ client: { retry } })
    expect(await runCli(["retry", "notes"], environment)).toBe(0)
    expect(asked).toEqual(["abc123"])
    expect(written.stdout).toContain("abc123: the model is called now.")
  })

  it("reports the delivery as unknown if there is no such task either", async () => {
    const client: Partial<AdjutantClient> = { resolveTarget: async () => Promise.reject(new Error("no task")) }
    const { environment, written } = stubEnvironment({ client })
    expect(await runCli(["retry", "nothing"], environment)).not.toBe(0)
    expect(written.stderr).toContain("there is no such delivery")
  })
})

describe("deliveries", () => {
  it("lists deliveries without control characters and without their contents", async () => {
    const { stdout, asked } = await run(["deliveries", "--status", "failed", "--task", "x"])
    expect(asked).toEqual([{ status: "failed", sessionId: "abc123" }])
    expect(stdout).toMatch(/^ID +STATUS/)
    expect(stdout).toContain("example.test")
    expect(stdout).not.toContain("\u001b")
  })

  it("retries and dismisses deliveries by id, or all that this applies to", async () => {
    expect(await run(["retry", "dlv_1"])).toMatchObject({ exitCode: 0, asked: ["dlv_1"], stdout: "dlv_1: pending.\n" })
    expect((await run(["dismiss", "all"])).asked).toEqual([
      { status: "pending", limit: 10_000 },
      { status: "failed", limit: 10_000 },
      "dlv_1",
      "dlv_1",
    ])
  })
})

describe("the service", () => {
  it("is started for a delivery that is sent again, and for no other change", async () => {
    expect(await run(["retry", "dlv_1"])).toMatchObject({ handsOver: true })
    expect(await run(["dismiss", "dlv_1"])).toMatchObject({ handsOver: false })
  })
})

describe("bindings", () => {
  it("binds a task and a thread", async () => {
    const { stdout, asked, exitCode } = await run(["focus", "x", "--thread", "t1"])
    expect(asked).toMatchObject([{ sessionId: "abc123", threadKey: "t1" }])
    expect(stdout).toBe("Task abc123 is bound to thread t1 of team (idle 1h30m, max-age off).\n")
    expect(exitCode).toBe(0)
    expect((await run(["focus", "x"])).exitCode).toBe(2)
  })

  it("ends a binding by task or by thread, but not by both", async () => {
    expect((await run(["unfocus", "--thread", "t1"])).asked).toEqual([{ threadKey: "t1" }, "abc123"])
    expect((await run(["unfocus", "x"])).asked).toEqual(["abc123"])
    expect((await run(["unfocus"])).exitCode).toBe(2)
    expect((await run(["unfocus", "x", "--thread", "t1"])).exitCode).toBe(2)
  })

  it.each(["idle", "max-age"])("shows the value of %s, and when the binding ends, without a duration", async (name) => {
    const { stdout, asked } = await run(["session", name, "x"])
    expect(asked).toEqual(["abc123"])
    expect(stdout).toBe(
      "Task abc123 is bound to thread t1 of team (idle 1h30m, max-age off). The binding ends at 2026-11-27T10:00:00.000Z.\n",
    )
  })

  it("ends a binding after a duration such as 2h", async () => {
    expect((await run(["session", "idle", "x", "1h30m"])).asked).toEqual([{ sessionId: "abc123", idleMs: 5_400_000 }])
    expect((await run(["session", "max-age", "x", "off"])).asked).toEqual([{ sessionId: "abc123", maxAgeMs: 0 }])
    for (const bad of ["soon", "0s", "99999d", "-1h"])
      expect((await run(["session", "idle", "x", bad])).exitCode).toBe(2)
  })
})
