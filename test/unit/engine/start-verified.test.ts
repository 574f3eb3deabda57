import { WorkflowNotFoundError } from "@temporalio/client"
import { describe, expect, it, vi } from "vitest"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { startVerified } from "../../../engine/start-verified.ts"
import type { HistoryEvent } from "../../../engine/temporal-client.ts"
import { anyEngine, grpcError } from "../client/fake-temporal.ts"

const mismatch = new AdjutantError("engine_mismatch", "the store belongs to another Temporal: check TEMPORAL_ADDRESS")

const signal: HistoryEvent = { workflowExecutionSignaledEventAttributes: {} }
const other: HistoryEvent = {}

/** Sends a signal-with-start; the engine is another one when it is compared again. Returns what was ended there. */
const sendToAnother = async (
  fetchHistory: () => Promise<{ events: readonly HistoryEvent[] }>,
  problem = mismatch,
  verify: () => ReturnType<typeof anyEngine.verify> = () => Promise.reject(problem),
) => {
  const ended: string[] = []
  const temporal = {
    workflow: {
      getHandle: (workflowId: string, runId: string) => ({
        fetchHistory,
        terminate: async () => ended.push(`${workflowId} ${runId}`),
      }),
    },
  }
  const engine = { ...anyEngine, verify }
  const sent = startVerified({ temporal, engine }, "subagent/a", async () => ({ signaledRunId: "r1" }))
  const result = await sent.then(
    () => "sent",
    (error: unknown) => error,
  )
  return { result, ended }
}

const history =
  (...events: readonly HistoryEvent[]) =>
  () =>
    Promise.resolve({ events })

describe("a signal-with-start that another server got", () => {
  it("is refused, and what it began there is ended", async () => {
    expect(await sendToAnother(history(other, signal, other))).toEqual({ result: mismatch, ended: ["subagent/a r1"] })
  })

  it.each([
    ["started without a signal", [other, other, signal]],
    ["begun by another message", [other, signal, other, signal]],
    ["continued as new", [other, other]],
  ])("leaves an execution that was open there: %s", async (_, events) => {
    expect(await sendToAnother(history(...events))).toEqual({ result: mismatch, ended: [] })
  })

  it("was sent if that server does not know it: the right one got it", async () => {
    const missing = () => Promise.reject(new WorkflowNotFoundError("not found", "subagent/a", "r1"))
    expect(await sendToAnother(missing)).toEqual({ result: "sent", ended: [] })
  })

  it("was not sent if the right one, which is back, does not know it", async () => {
    const missing = () => Promise.reject(new WorkflowNotFoundError("not found", "subagent/a", "r1"))
    const verify = vi.fn<typeof anyEngine.verify>(anyEngine.verify).mockRejectedValueOnce(mismatch)
    expect(await sendToAnother(missing, mismatch, verify)).toEqual({ result: mismatch, ended: [] })
  })

  it("is not withdrawn if the server does not answer", async () => {
    const silent = new AdjutantError("temporal_unavailable", "no answer: check that Temporal is running")
    expect(await sendToAnother(history(other, signal), silent)).toEqual({ result: silent, ended: [] })
    const lost = grpcError(14)
    expect(await sendToAnother(() => Promise.reject(lost))).toEqual({ result: lost, ended: [] })
  })
})
