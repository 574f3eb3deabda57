import performanceHooks from "node:perf_hooks"
import { describe, expect, it, vi } from "vitest"
import { httpFixture } from "./http-fixture.ts"

describe("metrics", () => {
  it("contain those of the process, whose measurement starts with the first reader", async () => {
    const measureDelay = vi.spyOn(performanceHooks, "monitorEventLoopDelay")
    const { ask } = await httpFixture()
    expect(await ask({ url: "/v1/sessions" })).toMatchObject({ status: 200 })
    expect(measureDelay).not.toHaveBeenCalled()
    for (const round of [1, 2]) {
      const { status, text } = await ask({ url: "/metrics" })
      expect([round, status]).toEqual([round, 200])
      expect(text).toMatch(/^adjutant_process_cpu_seconds_total \d/m)
      expect(text).toMatch(/^adjutant_nodejs_eventloop_lag_p99_seconds /m)
      expect(text).toMatch(/^adjutant_http_requests_total\{method="GET",route="\/v1\/sessions",status="200"\} 1$/m)
    }
    expect(measureDelay).toHaveBeenCalledTimes(1)
  })
})
