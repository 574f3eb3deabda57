import { describe, expect, it } from "vitest"
import {
  type LastAnswer,
  maxContinuations,
  maxCuts,
  nextStep,
  type RunPosition,
} from "../../../../domain/run/next-step.ts"
import { openBatch, withCallState } from "../../../../domain/calls/tool-batch.ts"
import { mutating, proposed } from "../batch-builder.ts"

const position = (over: Partial<RunPosition>): RunPosition => ({
  batch: null,
  lastAnswer: null,
  waitingTexts: 0,
  stepsTaken: 1,
  maxSteps: 30,
  pauseOnText: false,
  continuations: 0,
  emptyAnswers: 0,
  budgetExhausted: false,
  activeChildren: 0,
  ...over,
})

const answer = (over: Partial<LastAnswer> = {}): LastAnswer => ({
  stop: "end_turn",
  hasText: true,
  hasCalls: false,
  ...over,
})

describe("the next step of a run", () => {
  it("asks the model first", () => {
    expect(nextStep(position({ stepsTaken: 0 }))).toEqual({ kind: "call-model" })
  })

  it("completes on a text, or pauses for input on request", () => {
    expect(nextStep(position({ lastAnswer: answer() }))).toEqual({ kind: "finish", stopReason: "completed" })
    expect(nextStep(position({ lastAnswer: answer(), pauseOnText: true }))).toEqual({
      kind: "pause-for-input",
      cause: "text",
    })
  })

  it("pauses before any call of a batch runs while one call waits for a decision", () => {
    const batch = openBatch(1, 1, [proposed("a"), mutating("b", { disposition: "prompt" })])
    expect(nextStep(position({ batch }))).toEqual({ kind: "pause-for-decisions" })
  })

  it("returns to the model when a batch is complete", () => {
    const batch = withCallState(openBatch(1, 1, [proposed("a")]), "a", { at: "done" })
    expect(nextStep(position({ batch, lastAnswer: answer({ hasCalls: true }) }))).toEqual({ kind: "call-model" })
  })

  describe("before any work", () => {
    it("ends a pause that has its answer, whatever else is due", () => {
      const due = position({ isPauseOver: true, isHistoryLong: true, budgetExhausted: true, stepsTaken: 30 })
      expect(nextStep(due)).toEqual({ kind: "end-pause" })
    })

    it("keeps a finish call from ending the run while sub-agents are active, unless the next run takes them over", () => {
      const batch = openBatch(1, 1, [proposed("a", { name: "finish", kind: "finish" })])
      expect(nextStep(position({ batch, activeChildren: 1 }))).toEqual({ kind: "hold-finish" })
      expect(nextStep(position({ batch, activeChildren: 0 }))).toMatchObject({ kind: "finish", finish: { id: "a" } })
      const takenOver = position({ batch, activeChildren: 1, isTakenOver: true })
      expect(nextStep(takenOver)).toMatchObject({ kind: "finish", finish: { id: "a" } })
    })

    it("continues as new once the history is long, also at the end of a run", () => {
      expect(nextStep(position({ isHistoryLong: true, lastAnswer: answer() }))).toEqual({ kind: "continue-as-new" })
    })
  })

  describe("that the world outside delays", () => {
    it("is a wait for the provider, then for its rate, then for a slot", () => {
      const delayed = { isProviderAway: true, isRateLimited: true, needsSlot: true }
      expect(nextStep(position(delayed))).toEqual({ kind: "wait-for-provider" })
      expect(nextStep(position({ ...delayed, isProviderAway: false }))).toEqual({ kind: "wait-for-rate" })
      expect(nextStep(position({ needsSlot: true }))).toEqual({ kind: "wait-for-slot" })
    })

    it("needs a slot to run calls, but no provider", () => {
      const batch = openBatch(1, 1, [proposed("a")])
      expect(nextStep(position({ batch, isProviderAway: true }))).toMatchObject({ kind: "run-calls" })
      expect(nextStep(position({ batch, needsSlot: true }))).toEqual({ kind: "wait-for-slot" })
    })

    it("waits neither at the end nor in a pause", () => {
      const delayed = { isProviderAway: true, isRateLimited: true, needsSlot: true, lastAnswer: answer() }
      expect(nextStep(position(delayed))).toMatchObject({ kind: "finish" })
      expect(nextStep(position({ ...delayed, pauseOnText: true }))).toMatchObject({ kind: "pause-for-input" })
    })

    it("lets the sub-agents end before a model turn that the history cannot take", () => {
      expect(nextStep(position({ isHistoryFull: true, activeChildren: 1 }))).toEqual({ kind: "drain" })
      expect(nextStep(position({ isHistoryFull: true }))).toEqual({ kind: "call-model" })
    })
  })

  it("hands sub-agents over to the next run of the thread if the run only waits for them", () => {
    const over = { activeChildren: 1, isTakenOver: true }
    expect(nextStep(position({ ...over, lastAnswer: answer() }))).toEqual({ kind: "hand-over" })
    expect(nextStep(position({ ...over, isWaitOvertaken: true }))).toEqual({ kind: "hand-over" })
    expect(nextStep(position(over))).toEqual({ kind: "call-model" })
    expect(nextStep(position({ activeChildren: 1, lastAnswer: answer() }))).toEqual({ kind: "wait-for-children" })
  })

  describe("of a run without a model", () => {
    it("is its one call, for which it needs a slot", () => {
      expect(nextStep(position({ isOneCall: true }))).toEqual({ kind: "propose-call" })
      expect(nextStep(position({ isOneCall: true, needsSlot: true }))).toEqual({ kind: "wait-for-slot" })
    })

    const after = (over: Parameters<typeof withCallState>[2]) =>
      nextStep(
        position({
          ...{
            stepsTaken: 0,
            waitingTexts: 1,
            isOneCall: true,
            lastAnswer: answer({ stop: "tool_calls", hasCalls: true }),
          },
          batch: withCallState(openBatch(1, 0, [mutating("a", { name: "binary:tool" })]), "a", over),
        }),
      )
    const settled = (outcome: "rejected" | "skipped" | "custom") =>
      ({ at: "settled", answer: { outcome, content: "why" }, written: false }) as const

    it("is the end of the run once its one call is done, whatever texts wait", () => {
      expect(after({ at: "done" })).toEqual({ kind: "finish", stopReason: "completed" })
      const error = { code: "binary_failed", message: "exit code 3" }
      expect(after({ at: "done", failure: { stopReason: "error", error } })).toEqual({
        ...{ kind: "finish", stopReason: "error", code: "binary_failed", message: "exit code 3" },
      })
      expect(after({ at: "done", failure: { stopReason: "timeout", error } })).toMatchObject({ stopReason: "timeout" })
    })

    it("is a failure if the call was rejected or became void, and an answer if a person gave its result", () => {
      expect(after(settled("rejected"))).toMatchObject({ code: "rejected", message: "binary:tool: why" })
      expect(after(settled("skipped"))).toMatchObject({ code: "skipped", message: "binary:tool: why" })
      expect(after(settled("custom"))).toMatchObject({ kind: "write-result", call: { id: "a" }, text: "why" })
    })

    it("is taken for its call as for any other", () => {
      expect(after({ at: "ready" })).toMatchObject({ kind: "run-calls", calls: [{ id: "a" }] })
      expect(after({ at: "pending" })).toEqual({ kind: "pause-for-decisions" })
      expect(after({ at: "asking", question: { message: "Which?", round: 1 } })).toEqual({
        ...{ kind: "pause-for-input", cause: "tool" },
      })
    })
  })

  it("ends with the finish call after the other calls are done", () => {
    const batch = openBatch(1, 1, [proposed("f", { kind: "finish" })])
    expect(nextStep(position({ batch, pauseOnText: true }))).toMatchObject({ kind: "finish", stopReason: "completed" })
  })

  it("sends waiting texts to the model before a text completes the run", () => {
    expect(nextStep(position({ lastAnswer: answer(), waitingTexts: 1 }))).toEqual({ kind: "call-model" })
  })

  it("stops at the step limit, unless the last step completed the run", () => {
    const full = { stepsTaken: 30, maxSteps: 30 }
    expect(nextStep(position({ ...full, waitingTexts: 1 }))).toMatchObject({ kind: "finish", stopReason: "max_steps" })
    expect(nextStep(position({ ...full, lastAnswer: answer() }))).toMatchObject({ stopReason: "completed" })
  })

  it("is one answer more once the steps are used up, and whatever that is, the end by max_steps", () => {
    const full = { stepsTaken: 30, maxSteps: 30, waitingTexts: 1 }
    expect(nextStep(position({ ...full, stepsEnd: "asked" }))).toEqual({ kind: "call-model" })
    // Neither without the budget for it, nor if the last step completed the run.
    expect(nextStep(position({ ...full, stepsEnd: "asked", budgetExhausted: true }))).toMatchObject({
      stopReason: "budget",
    })
    expect(nextStep(position({ ...full, stepsEnd: "asked", waitingTexts: 0, lastAnswer: answer() }))).toMatchObject({
      stopReason: "completed",
    })
    const given = { ...full, stepsEnd: "answered" } as const
    for (const over of [{ lastAnswer: answer(), waitingTexts: 0 }, { pauseOnText: true }, { activeChildren: 2 }])
      expect(nextStep(position({ ...given, ...over }))).toMatchObject({ kind: "finish", stopReason: "max_steps" })
    const batch = openBatch(1, 1, [proposed("a")])
    expect(nextStep(position({ ...given, batch }))).toMatchObject({ stopReason: "max_steps" })
  })

  it("pauses on an exhausted budget if it may pause, and otherwise ends", () => {
    const spent = { budgetExhausted: true, lastAnswer: null }
    expect(nextStep(position({ ...spent, pauseOnText: true }))).toEqual({ kind: "pause-for-input", cause: "budget" })
    expect(nextStep(position(spent))).toMatchObject({ kind: "finish", stopReason: "budget" })
  })

  it("continues a truncated answer a bounded number of times", () => {
    const cut = answer({ stop: "max_tokens" })
    expect(nextStep(position({ lastAnswer: cut, continuations: maxContinuations }))).toEqual({ kind: "call-model" })
    expect(nextStep(position({ lastAnswer: cut, continuations: maxContinuations + 1 }))).toMatchObject({
      kind: "finish",
      stopReason: "error",
    })
  })

  it("asks again after an empty answer, then completes", () => {
    const empty = answer({ hasText: false })
    expect(nextStep(position({ lastAnswer: empty, emptyAnswers: 1 }))).toEqual({ kind: "call-model" })
    expect(nextStep(position({ lastAnswer: empty, emptyAnswers: 2 }))).toMatchObject({ stopReason: "completed" })
  })

  it("ends without a report by what the run has done", () => {
    const silent = { lastAnswer: answer({ hasText: false }), emptyAnswers: 2, isReportAsked: true }
    expect(nextStep(position(silent))).toMatchObject({ stopReason: "error", code: "no_answer" })
    expect(nextStep(position({ ...silent, hasChanged: true }))).toMatchObject({
      stopReason: "completed",
      warning: { code: "no_answer" },
    })
    expect(nextStep(position({ ...silent, hasSaid: true }))).toEqual({ kind: "finish", stopReason: "completed" })
    expect(nextStep(position({ ...silent, pauseOnText: true }))).toEqual({ kind: "pause-for-input", cause: "text" })
  })

  it("ends on a model's refusal and on a full context", () => {
    expect(nextStep(position({ lastAnswer: answer({ stop: "refusal" }) }))).toMatchObject({ stopReason: "refusal" })
    expect(nextStep(position({ lastAnswer: answer({ stop: "context_exceeded" }) }))).toMatchObject({
      stopReason: "error",
    })
  })

  it.each(["max_tokens", "refusal", "context_exceeded", "pause_turn", "unknown"] as const)(
    "runs no call of an answer that ended with %s",
    (stop) => {
      const batch = openBatch(1, 1, [mutating("a")])
      const lastAnswer = answer({ stop, hasText: false, hasCalls: true })
      for (const continuations of [0, 1, 50])
        expect(["call-model", "finish"]).toContain(nextStep(position({ batch, lastAnswer, continuations })).kind)
    },
  )

  it("ends a run whose calls were cut three times in a row, and names the setting", () => {
    const batch = openBatch(1, 1, [mutating("a")])
    const lastAnswer = answer({ stop: "max_tokens", hasCalls: true })
    expect(nextStep(position({ batch, lastAnswer, continuations: maxCuts - 1 }))).toEqual({ kind: "call-model" })
    expect(nextStep(position({ batch, lastAnswer, continuations: maxCuts }))).toMatchObject({
      kind: "finish",
      stopReason: "error",
      message: expect.stringContaining("maxOutputTokens"),
    })
  })

  it("calls the model again after an unknown end with calls, and ends at the same word or at a third one", () => {
    const after = (...unknownEnds: string[]) => nextStep(position({ lastAnswer: null, unknownEnds }))
    expect(after("odd")).toEqual({ kind: "call-model" })
    expect(after("odd", "other")).toEqual({ kind: "call-model" })
    for (const ended of [after("odd", "odd"), after("odd", "other", "odd"), after("a", "b", "c")])
      expect(ended).toMatchObject({
        kind: "finish",
        stopReason: "error",
        message: expect.stringContaining("normalEnds"),
      })
    expect(after("odd", "odd")).toMatchObject({ message: expect.stringContaining('"odd"') })
  })

  it("takes a text alone whose end is not known", () => {
    expect(nextStep(position({ lastAnswer: answer({ stop: "unknown" }) }))).toMatchObject({ stopReason: "completed" })
  })

  it("continues a turn that the provider paused", () => {
    expect(nextStep(position({ lastAnswer: answer({ stop: "pause_turn" }), continuations: 1 }))).toEqual({
      kind: "call-model",
    })
  })
})
