import path from "node:path"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { guardActivities } from "../../../activities/guard-activities.ts"
import { createActivities } from "../../../activities/index.ts"
import { argumentProblems } from "../../../activities/model/argument-problems.ts"
import { boundForHistory, cutText, inputLimits, resultLimits } from "../../../domain/text/bound-for-history.ts"
import { limitCalls, toolCallsOf } from "../../../domain/transcript/tool-calls.ts"
import { readProductSources } from "../../../scripts/structure/product-sources.ts"
import { withBoundInputs } from "../../../workflows/activities-of.ts"

type Activities = ReturnType<typeof createActivities>
type Results = { readonly [Name in keyof Activities]: Awaited<ReturnType<Activities[Name]>> }

const huge = "x".repeat(700_000)
const long = "x".repeat(20_000)
const many = Array.from({ length: 36_000 }, (_, index) => `item ${index} ${"y".repeat(90)}`)
const error = { code: "error", message: huge }
const call = {
  ...({ id: "c", name: long, kind: "invalid", disposition: "auto", readOnly: true, idempotent: true } as const),
  ...{ preview: long, problem: long },
}
const child = { ...({} as Extract<Results["prepareDelegation"], { kind: "spawn" }>["child"]), title: huge, label: huge }
const place = { workflowId: long, runId: long, turn: 1 }
const usage = {} as Results["settleChild"]["usage"]

/** An oversized result of every activity of the worker; the compiler refuses a table that lacks one. */
const oversized: Results = {
  callModel: {
    kind: "answer",
    stop: "end_turn",
    calls: Array.from({ length: 256 }, () => call),
    hasText: true,
    preview: huge,
    usage,
  },
  startScheduled: { sessionId: long, runId: long },
  hasScheduledEnded: true,
  cancelScheduled: undefined,
  compact: { kind: "budget-exhausted", usage, reason: huge },
  runTool: { outcome: "ok", background: false, preview: huge, question: { message: huge, round: 1 }, changed: huge },
  previewCalls: undefined,
  checkEdits: many.map((id) => ({ id, verdict: { kind: "refuse", reason: huge } as const })).slice(0, 64),
  runHooks: { refusal: error },
  proposeCall: { kind: "failed", error },
  reportToThread: { deliveries: many.map((key) => ({ key, policy: {} as never, summary: long })).slice(0, 8) },
  sayInThread: { deliveries: many.map((key) => ({ key, policy: {} as never, summary: long })).slice(0, 8) },
  stopBackground: undefined,
  openWorktree: { refusal: error },
  closeWorktree: undefined,
  reachMachine: undefined,
  writeResult: undefined,
  openRun: { ...({} as Results["openRun"]), model: huge, modelNames: many, refusal: error },
  openPause: {
    checkpointId: "cp",
    calls: many.map((id) => ({ id, name: long, preview: long })).slice(0, 64),
    message: huge,
  },
  recordDecisions: undefined,
  closeRun: { headSeq: 1, preview: huge },
  auditOperatorSignals: undefined,
  attributeDecision: { isSigned: false, by: huge },
  attributeMessages: { missing: many },
  prepareDelegation: { kind: "spawn", child, use: "task" },
  answerDelegation: undefined,
  settleChild: { ...({} as Results["settleChild"]), usage },
  showBlocked: undefined,
  showWaiting: undefined,
  acquireSlot: undefined,
  releaseSlot: undefined,
  findEndedHolders: many.map(() => place).slice(0, 1_000),
  showQueued: undefined,
  deliver: { kind: "permanent", reason: huge },
  giveUpDelivery: undefined,
  startOpenSession: undefined,
  reportRun: undefined,
  requestStop: undefined,
  checkBinding: { kind: "unbound" },
  releaseBinding: undefined,
  reconcileSessions: { ...({} as Results["reconcileSessions"]), missing: many as never },
}

/** Fails every request with a very long message. */
const failing: never = new Proxy(() => undefined, {
  get: (_, name) => (name === "then" ? undefined : failing),
  apply: () => {
    throw new Error(huge)
  },
}) as never

const lengthOf = (value: unknown): number => (JSON.stringify(value) ?? "").length

describe("a payload of the engine's history", () => {
  it("is tested for every activity of the worker", () => {
    expect(Object.keys(oversized).toSorted()).toEqual(Object.keys(createActivities(failing)).toSorted())
  })

  it.each(Object.entries(oversized))("is small for an oversized result of %s", async (name, result) => {
    const guarded = guardActivities({ [name]: async () => result })
    expect(lengthOf(await guarded[name]!())).toBeLessThanOrEqual(resultLimits.total)
  })

  it.each(Object.keys(oversized))("is small for a failure of %s", async (name) => {
    const activities = createActivities(failing) as unknown as Record<string, (input: unknown) => Promise<unknown>>
    const failure: unknown = await activities[name]!({ holders: [place], child, limits: {}, key: "k" }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    for (let cause = failure; cause instanceof Error; cause = cause.cause) {
      expect(cause.message.length).toBeLessThanOrEqual(2_048)
      expect(cause.stack?.length ?? 0).toBeLessThanOrEqual(4_096)
    }
  })

  it.each(Object.keys(oversized))("is small for an oversized input of %s", (name) => {
    const received: unknown[] = []
    const activities = withBoundInputs({ [name]: (input: unknown) => received.push(input) })
    activities[name]!({ texts: [huge, huge], notes: many, deep: { er: [{ text: huge }] } })
    expect(lengthOf(received[0])).toBeLessThanOrEqual(inputLimits.total)
  })

  it("is checked in one place for all calls of activities", () => {
    const others = readProductSources(path.resolve(import.meta.dirname, "../../..")).filter(
      ({ file, text }) => /\bproxy(?:Local)?Activities\b/.test(text) && file !== "workflows/activities-of.ts",
    )
    expect(others.map(({ file }) => file)).toEqual([])
  })
})

describe("bounding a value", () => {
  it("does not change a small value", () => {
    const value = { text: "short", list: [1, 2, 3], nothing: null, deep: { er: true } }
    expect(boundForHistory(value, resultLimits)).toEqual({ value })
    expect(boundForHistory(undefined, resultLimits)).toEqual({ value: undefined })
    const texts = { texts: ["a".repeat(10_000), "b".repeat(10_000)] }
    expect(boundForHistory(texts, resultLimits)).toEqual({ value: texts })
  })

  it("says what was cut, and splits no character", () => {
    expect(cutText("a".repeat(100), 40)).toBe(`${"a".repeat(17)}… (cut: 100 characters)`)
    expect(cutText(`${"a".repeat(16)}${"😀".repeat(60)}`, 40)).toBe(`${"a".repeat(16)}… (cut: 136 characters)`)
  })

  it("rejects a large value without a long text or list", () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]))
    expect(boundForHistory(wide, resultLimits)).toBeUndefined()
  })
})

describe("a proposal of the model", () => {
  it("is described in a few lines, however much of it is wrong", () => {
    const parsed = z.object({ todos: z.array(z.object({ content: z.string() })) }).safeParse({
      todos: Array.from({ length: 36_000 }, () => ({})),
    })
    const text = argumentProblems(parsed.error!)
    expect(text.length).toBeLessThan(2_200)
    expect(text).toContain("todos[9].content")
    expect(text).toContain("… and 35990 more")
  })

  it("keeps 256 calls with short, distinct ids", () => {
    const parts = Array.from({ length: 1_000 }, () => ({
      type: "tool_call" as const,
      call: { id: "i".repeat(5_000), name: "LS", arguments: {} },
    }))
    const ids = toolCallsOf(limitCalls({ role: "assistant", parts } as never)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(256)
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(200)
  })
})
