import { describe, expect, it } from "vitest"
import { shownBlock } from "../../../domain/session/block.ts"
import type { SessionEvent } from "../../../contracts/event.ts"
import type { TranscriptRowBody } from "../../../contracts/http/sessions.ts"
import { forkPoint } from "../../../domain/transcript/fork-point.ts"
import { readRows } from "../../../web/state/transcript-rows.ts"
import { announceBlock } from "../../../domain/delegation/announce-block.ts"
import { bannerOf, openRetry } from "../../../web/session/banner/banner-texts.ts"
import { mayHaveMoreSteps, raisableLimits } from "../../../web/shown/raisable-limits.ts"
import { workTimes } from "../../../domain/session/session-facts.ts"
import {
  blocksOf,
  startedChildren,
  indexOfPlace,
  linkedCall,
  readReport,
  startsChildren,
  toolCounts,
} from "../../../web/state/blocks.ts"
import { callState } from "../../../web/session/call-state.ts"
import { reportedChanges } from "../../../web/changes/changed-files.ts"
import { previewsOf } from "../../../web/state/previews.ts"
import { timeScale } from "../../../web/session/events/time-scale.ts"
import { spansOf } from "../../../web/session/events/timeline-spans.ts"
import { workingText } from "../../../web/session/events/working-text.ts"
import { shownSession } from "./shown-session.ts"

type Message = TranscriptRowBody["message"]

const atWork = shownSession({ status: "running" })

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
}

const answer = (text: string, ...calls: readonly (readonly [id: string, name: string, args?: object])[]): Message => ({
  ...{ role: "assistant", provider: "scripted", model: "m", usage: noUsage, stop: "tool_calls" },
  parts: [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(([id, name, args = {}]) => ({
      type: "tool_call" as const,
      call: { id, name, arguments: { ...args } },
    })),
  ],
})

const result = (id: string, outcome: "ok" | "error" = "ok"): Message => ({
  ...{ role: "tool", call_id: id, name: "Read", outcome, content: "text" },
})

const rowsOf = (...messages: readonly Message[]): readonly TranscriptRowBody[] => {
  let step = 0
  return messages.map((message, index) => {
    if (message.role === "assistant") step += 1
    return { seq: index + 1, run_id: "r1", step, at: "2026-11-25T00:00:00Z", message }
  })
}

let lastId = 0
const event = (type: SessionEvent["type"], second: number, fields: object = {}): SessionEvent => {
  lastId += 1
  const at = new Date(Date.parse("2026-11-25T00:00:00Z") + second * 1_000).toISOString()
  return { id: lastId, type, session_id: "s1", run_id: "r1", at, ...fields }
}

describe("the transcript", () => {
  const rows = rowsOf(
    { role: "user", source: "instruction", text: "Do it" },
    answer("First", ["a", "Read"]),
    result("a"),
    answer("", ["a", "Grep"], ["b", "Read"]),
    result("a", "error"),
    answer("Done"),
  )

  it("joins steps without a word to the step before, each call with the result of its own answer", () => {
    const blocks = blocksOf(rows)
    expect(blocks.map((block) => [block.kind, block.seq])).toEqual([
      ["user", 1],
      ["assistant", 2],
      ["assistant", 6],
    ])
    const [, joined] = blocks
    expect(joined).toMatchObject({
      steps: [1, 2],
      calls: [
        { seq: 2, result: { outcome: "ok" } },
        { seq: 4, result: { outcome: "error" } },
        { seq: 4, result: undefined },
      ],
    })
    expect(joined?.kind === "assistant" && toolCounts(joined.calls)).toBe("Read ×2, Grep")
  })

  it("numbers steps over all runs, as a fork counts them, also for the changes of a step", () => {
    const write = { file_path: "a.txt", content: "x" }
    const again = rowsOf(
      { role: "user", source: "follow_up", text: "More" },
      answer("Again", ["w", "Write", write]),
      { ...result("w"), content: "Created a.txt" } as Message,
      answer("Done again"),
    ).map((row) => ({ ...row, seq: row.seq + rows.length, run_id: "r2" }))
    const all = [...rows, ...again]
    const steps = blocksOf(all).flatMap((block) => (block.kind === "user" ? [] : [block.steps]))
    expect(steps).toEqual([[1, 2], [3], [4], [5]])
    expect(reportedChanges("s1", all).get("a.txt")?.[0]?.step).toBe(4)
    const places = all.map(({ run_id: runId, ...row }) => ({ ...row, runId }))
    expect(forkPoint(places as never, 4)).toMatchObject({ runId: "r2", text: "Again", lastSeq: 9 })
  })

  it("reads rows again from the first gap that a running call can still fill, and each of them once", async () => {
    const asked: number[] = []
    const serve = (stored: typeof rows) => async (after: number) => {
      asked.push(after)
      return { items: stored.filter(({ seq }) => seq > after), next_cursor: null }
    }
    const seqs = (some: readonly { readonly seq: number }[]) => some.map(({ seq }) => seq)
    const [first, proposal] = rowsOf(
      { role: "user", source: "instruction", text: "Look" },
      answer("", ["a", "Grep"], ["b", "Read"]),
    )
    const results = [result("a"), result("b")].map((message, at) => ({ ...rows[2], seq: 3 + at, message }))
    const all = [first, proposal, ...results] as typeof rows
    const some = await readRows([], serve(all.toSpliced(2, 1)))
    expect(seqs(some)).toEqual([1, 2, 4])
    const whole = await readRows(some, serve(all))
    expect(seqs(whole)).toEqual([1, 2, 3, 4])
    expect(await readRows(whole, serve(all))).toBe(whole)
    expect(asked).toEqual([0, 2, 4])
    const [, block] = blocksOf(some)
    const calls = block?.kind === "assistant" ? block.calls : []
    const states = calls.map((item) => callState(item, atWork, { isLatest: true, previews: new Map() }).text)
    expect(states).toEqual(["runs", "ok"])
  })

  it("finds the block of a step", () => {
    const blocks = blocksOf(rows)
    expect([1, 2, 3, 4].map((step) => indexOfPlace(blocks, { step }))).toEqual([1, 1, 2, -1])
    expect([0, 1, 3, 5, 6].map((row) => indexOfPlace(blocks, { row }))).toEqual([-1, 0, 1, 1, 2])
    expect(indexOfPlace(blocks, {})).toBeUndefined()
    // The same id is in two answers: the row says which one is meant, also by its result.
    expect([2, 3, 4, 5].map((row) => linkedCall(blocks, { row, call: "a" })?.seq)).toEqual([2, 2, 4, 4])
    expect(linkedCall(blocks, { row: 3, call: "b" })).toBeUndefined()
  })

  it("reads what announces a sub-agent's end as the server writes it", () => {
    const text = announceBlock({
      childKey: "agent:writer:subagent:c1",
      childId: "c1",
      mode: "run",
      label: "writer",
      description: null,
      outcome: { status: "failed", stopReason: "budget" },
      error: null,
      resultText: "Half of it.\n\n<b>not markup</b>",
      lastToolText: null,
      toolCounts: {},
      stepsTaken: 2,
      runtimeMs: 1_000,
      usage: {
        input_tokens: 1,
        output_tokens: 1,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
        cost_usd: null,
      },
    } as never)
    expect(readReport(text)).toMatchObject({ label: "writer", status: "failed", reason: "budget", childId: "c1" })
    expect(readReport(text)?.result).toContain("Half of it.")
    expect(readReport("label: a\nstatus: b")).toBeUndefined()
  })
})

describe("what a running session does", () => {
  const running = atWork
  const at = Date.parse("2026-11-25T00:00:10Z")
  const model = event("step-started", 0, { step: 1 })
  const proposed = event("usage-updated", 4)
  const tools = ["a", "b"].map((id, index) => event("tool-started", 5 + index, { call_id: id, name: "Bash" }))

  it("is said from its events: the model that answers, or the calls that run", () => {
    expect(workingText(running, [model], at)).toBe("The model has been working for 10s")
    expect(workingText(running, [model, proposed, ...tools.slice(0, 1)], at)).toBe("Bash has been running for 5s")
    const titles = new Map([["a", "Bash make check"]])
    expect(workingText(running, [model, proposed, ...tools.slice(0, 1)], at, titles)).toBe(
      "Bash make check has been running for 5s",
    )
    expect(workingText(running, [model, proposed, ...tools], at)).toBe("Bash and 1 more call have been running for 5s")
    const over = tools.map((_, index) => event("tool-finished", 8, { call_id: ["a", "b"][index], outcome: "ok" }))
    expect(workingText(running, [model, proposed, ...tools, ...over], at)).toBeUndefined()
  })

  it("is not said of one that waits or has ended, nor where the events are not known", () => {
    expect(workingText(shownSession({ status: "paused" }), [model], at)).toBeUndefined()
    const blocked = { type: "lane", since: "2026-11-25T00:00:00Z" } as const
    expect(workingText(shownSession({ blocked_by: [shownBlock(blocked)] }), [model], at)).toBeUndefined()
    expect(workingText(running, [], at)).toBeUndefined()
  })
})

describe("the state of a call", () => {
  const call = { id: "a", name: "Bash", arguments: {} }
  const item = { seq: 2, call, result: undefined }
  const preview = { summary: "Run ls", flags: [] }
  const paused = shownSession({
    status: "paused",
    pause_reason: { type: "tool_approval_required", pending_tool_calls: [{ ...call, preview }] },
  })
  const previews = previewsOf([
    event("tool-calls-proposed", 0, { seq: 2 }),
    event("run-paused", 1, {
      pause_reason: {
        type: "tool_approval_required",
        pending_tool_calls: [
          { ...call, preview },
          { ...call, id: "b", preview },
        ],
      },
    }),
  ])
  const stateOf = (session: Parameters<typeof callState>[1], id = "a", isLatest = true) =>
    callState({ ...item, call: { ...call, id } }, session, { isLatest, previews }).text

  it("says that a call waits for approval only while nobody has decided it", () => {
    expect(stateOf(paused)).toBe("waits for approval")
    expect(stateOf(paused, "b")).toBe("decided; takes effect with the other decisions")
    expect(stateOf(paused, "c")).toBe("waits for the other calls")
    expect(stateOf(paused, "a", false)).toBe("no result")
  })

  it("distinguishes running from waiting for a sub-agent, and from runs that have ended", () => {
    expect(stateOf(shownSession({ status: "running" }))).toBe("runs")
    const blocked = { type: "child_paused" as const, since: "2026-11-25T00:00:00Z", session_ids: ["c1"] }
    expect(stateOf(shownSession({ status: "paused", blocked_by: [shownBlock(blocked)] }))).toBe("waits for a sub-agent")
    expect(stateOf(shownSession({ status: "cancelled" }))).toBe("no result")
    const skipped = { ...result("a"), outcome: "skipped" }
    const { text } = callState({ ...item, result: skipped as never }, paused, { isLatest: true, previews })
    expect(text).toBe("did not run")
  })
})

describe("what a session took", () => {
  const run = (ran_seconds: number, started_at: string | null, finished_at: string | null) => ({
    ...{ run_id: "r", status: "completed", stop_reason: null, error: null, steps_taken: 1, fallback_model: null },
    ...{ compactions: 0, created_at: "2026-11-25T00:00:00Z", ran_seconds, started_at, finished_at },
  })
  const at = (time: string) => `2026-11-25T${time}Z`

  it("is the time in which its runs worked, without their waits and the time between them", () => {
    const runs = [run(3, at("00:00:00"), at("00:13:20")), run(1, at("09:00:00"), at("09:00:01"))] as const
    expect(workTimes({ runs: [...runs] as never })).toEqual({ ranMs: 4_000, waitedMs: 797_000 })
    expect(workTimes({ runs: [run(2, at("00:00:00"), null)] as never })).toEqual({ ranMs: 2_000, waitedMs: 0 })
    expect(workTimes({ runs: [] })).toEqual({ ranMs: 0, waitedMs: 0 })
  })
})

describe("a limit that ended a run", () => {
  const limits = {
    max_steps: { limit: 2, used: 2 },
    timeout_seconds: { limit: null, used: 3 },
    budget_usd: { limit: 0.3, used: 0.31 },
    budget_tokens: { limit: null, used: 900 },
  }
  const ended = (stop_reason: "max_steps" | "budget" | "error" | "timeout", message = "the run reached its limit") =>
    raisableLimits({ limits, stop_reason, error: { code: stop_reason, message } })

  it("is offered to be raised: the one that ended it, and no other", () => {
    expect(ended("max_steps")).toMatchObject([{ field: "max_steps", limit: 2, offered: 4 }])
    expect(ended("budget", "the run's budget is used up")).toMatchObject([{ field: "budget_usd", offered: 0.6 }])
    expect(ended("timeout")).toEqual([])
    expect(ended("error")).toEqual([])
    expect(ended("budget", "the daily limit of this store is used up")).toEqual([])
  })

  it("is continued with fifty more steps by one button, for who may raise it or need not", () => {
    const steps = (limit: number) =>
      raisableLimits({
        ...{ limits: { ...limits, max_steps: { limit, used: limit } }, stop_reason: "max_steps" },
        error: { code: "max_steps", message: "the run reached its limit" },
      })
    expect(mayHaveMoreSteps(steps(2), true)).toBe(true)
    expect(mayHaveMoreSteps(steps(2), false)).toBe(false)
    expect(mayHaveMoreSteps(steps(50), false)).toBe(true)
    expect(mayHaveMoreSteps(ended("budget", "the run's budget is used up"), true)).toBe(false)
  })
})

describe("the sub-agents of a call", () => {
  const spawn = (content: string) => ({
    ...{ seq: 2, call: { id: "a", name: "sessions_spawn", arguments: {} } },
    result: { ...result("a"), content } as never,
  })

  it("are those that its result names", () => {
    const children = [{ id: "abc123" }, { id: "abc12" }]
    expect(
      startedChildren(spawn("Sub-agent started: abc123 (agent:general:subagent:abc123), run run_1."), children),
    ).toEqual([{ id: "abc123" }])
    expect(
      startedChildren({ ...spawn("Task ID: abc12"), call: { id: "a", name: "Read", arguments: {} } }, children),
    ).toEqual([])
    expect(startsChildren(rowsOf(answer("", ["a", "Task"])))).toBe(true)
    expect(startsChildren(rowsOf(answer("", ["a", "sessions_list"])))).toBe(false)
  })
})

describe("the banner", () => {
  const now = Date.parse("2026-11-25T00:00:10Z")

  it("says why a run failed", () => {
    const error = { code: "model_error", message: "the key is wrong\u202e" }
    expect(bannerOf(shownSession({ status: "failed", error }), [], now)).toEqual({
      kind: "bad",
      text: "The run failed: the key is wrong\\u202e (model_error)",
    })
    expect(bannerOf(shownSession({ status: "failed", stop_reason: "max_steps" }), [], now)?.text).toBe(
      "The run failed: max steps",
    )
  })

  it("does not show a cancellation, which a person wanted, as a failure", () => {
    const error = { code: "cancelled", message: "the run was cancelled" }
    const note = { kind: "note", text: "The run was cancelled." }
    expect(bannerOf(shownSession({ status: "cancelled", error }), [], now)).toEqual(note)
    expect(bannerOf(shownSession({ status: "cancelled" }), [], now)).toEqual(note)
  })

  it("shows a failed try until the call has a result", () => {
    const retry = event("model-retry", 0, { reason: "529 Overloaded", attempt: 2, next_at: "2026-11-25T00:00:22Z" })
    const running = shownSession({ status: "running" })
    expect(bannerOf(running, [retry], now)?.text).toBe(
      "The provider failed (try 2): 529 Overloaded. The next try is in 12s.",
    )
    expect(openRetry([retry, event("usage-updated", 1)])).toBeUndefined()
    expect(bannerOf(running, [retry, event("usage-updated", 1)], now)).toBeUndefined()
    expect(bannerOf(shownSession({ status: "completed" }), [retry], now)).toBeUndefined()
  })

  it("offers a retry while the run waits for its provider, and not while the engine repeats the call", () => {
    const outage = (next_at: string) =>
      shownSession({
        status: "running",
        blocked_by: [
          { type: "provider_unavailable", since: "2026-11-25T00:00:00Z", reason: "529 Overloaded", next_at },
        ],
      })
    const retry = event("model-retry", 0, { reason: "529 Overloaded", attempt: 3, next_at: "2026-11-25T00:00:22Z" })
    const waitOf = (...given: Parameters<typeof bannerOf>) => bannerOf(...given)?.providerWait
    const first = waitOf(outage("2026-11-25T00:00:22Z"), [], now)
    expect(first).toBeDefined()
    expect(waitOf(outage("2026-11-25T00:00:22Z"), [retry], now)).toBe(first)
    expect(waitOf(outage("2026-11-25T00:01:00Z"), [retry], now)).not.toBe(first)
    expect(waitOf(shownSession({ status: "running" }), [retry], now)).toBeUndefined()
    const limited = { type: "rate_limit" as const, since: "2026-11-25T00:00:00Z", next_at: null }
    expect(waitOf(shownSession({ status: "running", blocked_by: [shownBlock(limited)] }), [], now)).toBeUndefined()
    const error = { code: "provider_error", message: "overloaded" }
    expect(waitOf({ ...outage("2026-11-25T00:00:22Z"), status: "failed", error }, [retry], now)).toBeUndefined()
  })

  it("says that a session waits for a slot of its worker, and why", () => {
    const busy = { type: "worker_busy" as const, since: "2026-11-25T00:00:00Z", reason: "all slots are in use" }
    const blocked_by = [shownBlock(busy)]
    expect(bannerOf(shownSession({ status: "running", blocked_by }), [], now)).toEqual({
      kind: "wait",
      text: "Has waited for 10s for the worker: all slots are in use.",
    })
  })

  it("names the sub-agents that keep a parent waiting", () => {
    const paused = { type: "child_paused" as const, since: "2026-11-25T00:00:00Z", session_ids: ["c1", "c2"] }
    const blocked_by = [shownBlock(paused)]
    expect(bannerOf(shownSession({ status: "running", blocked_by }), [], now)).toEqual({
      kind: "wait",
      text: "Has waited for 10s for 2 sub-agents that need a person:",
      sessionIds: ["c1", "c2"],
    })
  })
})

describe("the timeline", () => {
  it("shows model calls, tools, waits, sub-agents and tries, with what has not ended", () => {
    const spans = spansOf([
      event("run-started", 0),
      event("step-started", 0, { step: 1 }),
      event("model-retry", 2, { reason: "529", attempt: 1 }),
      event("usage-updated", 5, { step: 1 }),
      event("run-paused", 5, { pause_reason: { type: "tool_approval_required" } }),
      event("decision-recorded", 9, { by: "ana" }),
      event("tool-started", 9, { call_id: "a", name: "Bash" }),
      event("tool-finished", 10, { call_id: "a", name: "Bash", outcome: "ok" }),
      event("child-started", 10, { child_session_id: "c1", child_run_id: "cr1", label: "writer" }),
    ])
    const start = Date.parse("2026-11-25T00:00:00Z")
    const shown = spans.map(({ kind, name, fromMs, toMs, note }) => [
      kind,
      name,
      (fromMs - start) / 1_000,
      toMs === undefined ? undefined : (toMs - start) / 1_000,
      note,
    ])
    expect(shown).toEqual([
      ["model", "Model", 0, 2, "failed: 529"],
      ["retry", "Model, try 2", 2, 5, "529"],
      ["wait", "Waits for approval", 5, 9, "decided by ana"],
      ["tool", "Bash", 9, 10, "ok"],
      ["child", "writer", 10, undefined, undefined],
    ])
  })

  it("says what an answer of the model used and cost", () => {
    const usage = {
      input_tokens: 900,
      output_tokens: 100,
      cache_read_tokens: 500,
      cache_write_tokens: 0,
      cost_usd: 0.01,
    }
    const [span] = spansOf([event("step-started", 0, { step: 1 }), event("usage-updated", 5, { step: 1, ...usage })])
    expect(span?.note).toBe("1.5k tokens, $0.0100")
  })

  it("folds long waits, so that the work between them can be seen", () => {
    const spans = spansOf([
      event("step-started", 0, { step: 1 }),
      event("usage-updated", 5, { step: 1 }),
      event("run-paused", 5, { pause_reason: { type: "tool_approval_required" } }),
      event("decision-recorded", 3_605, { by: "ana" }),
      event("tool-started", 3_605, { call_id: "a", name: "Bash" }),
      event("tool-finished", 3_610, { call_id: "a", name: "Bash", outcome: "ok" }),
    ])
    const start = Date.parse("2026-11-25T00:00:00Z")
    const placeOf = timeScale(spans, start, start + 3_610_000)
    // Of eleven parts, the model and the call have five each, and an hour of waiting has one.
    const places = [0, 5, 3_605, 3_610].map((second) => Math.round(placeOf(start + second * 1_000) * 11))
    expect(places).toEqual([0, 5, 6, 11])
  })
})

describe("the changes", () => {
  it("lists what was written, and not what failed or only read", () => {
    const files = reportedChanges(
      "s1",
      rowsOf(
        answer("", ["a", "Write", { file_path: "a.txt", content: "one\n" }], ["b", "Read", { file_path: "b.txt" }]),
        result("a"),
        result("b"),
        answer("x", ["a", "Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }]),
        result("a"),
        answer("y", ["a", "Edit", { file_path: "c.txt", old_string: "one", new_string: "two" }]),
        result("a", "error"),
      ),
    )
    expect([...files].map(([file, changes]) => [file, changes.map(({ step, tool }) => [step, tool])])).toEqual([
      [
        "a.txt",
        [
          [1, "Write"],
          [2, "Edit"],
        ],
      ],
    ])
    expect(files.get("a.txt")?.[1]?.diff).toContain("-one")
  })
})
