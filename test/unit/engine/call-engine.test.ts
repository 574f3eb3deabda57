import { Client, Connection } from "@temporalio/client"
import { describe, expect, it } from "vitest"
import { callEngine } from "../../../engine/call-engine.ts"
import { defaultClientTiming } from "../../../sessions/sessions-timing.ts"
import { anyEngine, FakeTemporal, grpcError, unavailable } from "../client/fake-temporal.ts"

const contextOf = (temporal: FakeTemporal | Client, engineTimeoutMs: number) => ({
  temporal,
  engine: anyEngine,
  timing: { ...defaultClientTiming, engineTimeoutMs },
})

describe("callEngine", () => {
  it("gives every attempt the same deadline, and counts the attempts", async () => {
    const temporal = new FakeTemporal()
    const attempts: number[] = []
    const answer = await callEngine(contextOf(temporal, 5_000), async (attempt) => {
      attempts.push(attempt)
      if (attempt < 3) throw unavailable()
      return "there"
    })
    expect(answer).toBe("there")
    expect(attempts).toEqual([1, 2, 3])
    expect(new Set(temporal.deadlines).size).toBe(1)
  })

  it("does not retry a permanent failure", async () => {
    let calls = 0
    const call = callEngine(contextOf(new FakeTemporal(), 5_000), () => {
      calls += 1
      return Promise.reject(grpcError(7, "denied"))
    })
    await expect(call).rejects.toMatchObject({ code: "temporal_unavailable" })
    expect(calls).toBe(1)
  })

  it("fails if no server answers on a real connection", async () => {
    const connection = Connection.lazy({ address: "127.0.0.1:1" })
    const temporal = new Client({ connection })
    const call = callEngine(contextOf(temporal, 200), () => temporal.workflow.getHandle("subagent/a").describe())
    await expect(call).rejects.toMatchObject({ code: "temporal_unavailable" })
    await connection.close()
  })
})
