import type { Fault } from "../../scripts/sabotage/fault.ts"

export const durability: readonly Fault[] = [
  {
    name: "after a reset, a call that was answered and has run asks again",
    file: "activities/tools/run-once.ts",
    find: "return last !== undefined && isClaimOf(last,",
    replace: "return existing.done && isClaimOf(existing,",
    triedFirst: "test/unit/activities/tools/run-once.test.ts",
  },
  {
    name: "after a reset, a run counts what sessions used that a person created below it",
    file: "activities/limits/reset-spending.ts",
    find: " || (session !== undefined && isByHand(session))",
    replace: "",
  },
  {
    name: "a run that was reset forgets that when it continues as new",
    file: "workflows/session/continue-as-new.ts",
    find: "if (!wasReset(context)) state.run.execution",
    replace: "state.run.execution",
    triedFirst: "test/workflow/limits/budgets-after-resets.test.ts",
  },
  {
    name: "after a reset, another call gets the question of the one that had its place",
    file: "activities/tools/call-question.ts",
    find: "_${hash.slice(0, 16)}",
    replace: "",
  },
  {
    name: "after a reset, the pause of another question shows the first one",
    file: "activities/pause/open-pause.ts",
    find: "wanted.calls.length > 0 || row.message === wanted.message",
    replace: "wanted.calls.length >= 0",
  },
  {
    name: "the next run that began on a server that took the right one's place stays there",
    file: "engine/start-verified.ts",
    find: "  await execution.terminate(withdrawnReason)\n",
    replace: "",
  },
  {
    name: "a run that another server began opens once the right one is back",
    file: "activities/require-own-engine.ts",
    find: "found !== undefined && found.runId !== own.runId",
    replace: "found === undefined",
  },
  {
    name: "an upgrade during a delegation writes a second child",
    file: "activities/delegation/spawn/create-child.ts",
    find: `child?.status === "pending" && child.internal["tool"] === delegation.call.name ? former : delegation`,
    replace: "child === undefined ? delegation : delegation",
  },
  {
    name: "a message that another server got, which is away again, counts as sent",
    file: "engine/start-verified.ts",
    find: "return !(await isStillAnother(engine))",
    replace: "return false",
  },
  {
    name: "a worker fails the calls of a live one on another machine that has the same name",
    file: "worker/registration/register-worker.ts",
    find: "isOfThisBoot(worker) && ",
    replace: "",
  },
  {
    name: "a worker in a container with the host's name counts as dead",
    file: "engine/workers/has-worker.ts",
    find: " || system !== thisSystem()",
    replace: "",
  },
  {
    name: "a run that was reset while it was open gets its budget again",
    file: "activities/limits/reset-spending.ts",
    find: "left - Math.max(0, (used ?? 0) - counted)",
    replace: "left",
    triedFirst: "test/workflow/limits/budgets-after-resets.test.ts",
  },
  {
    name: "a run begins on a server that took the place of the right one a moment ago",
    file: "activities/require-own-engine.ts",
    find: "    await engine.verify(answerMs)\n    return\n",
    replace: "",
  },
  {
    name: "a call that asks again leaves out who decided before",
    file: "activities/tools/run-tool.ts",
    find: "    await writeOutbox(deps.store, input, input.outbox)\n",
    replace: "",
  },
  {
    name: "what an activity had to write is lost with an activity that never began",
    file: "workflows/session/session-context.ts",
    find: "    putBack(state, outbox)\n",
    replace: "",
  },
  {
    name: "a later attempt claims a call that is claimed already",
    file: "store/tables/claims.ts",
    find: `            eb("excluded.call_id", "!=", ref("claims.call_id")),`,
    replace: `            eb("excluded.call_id", "=", ref("claims.call_id")),`,
  },
  {
    name: "an attempt that comes too late replaces the row of a later one",
    file: "store/tables/messages/put-message.ts",
    find: `.whereRef("excluded.fence", ">=", "messages.fence")`,
    replace: "",
  },
  {
    name: "a result that comes too late is reported as written",
    file: "store/tables/claims.ts",
    find: "if (!(await putMessage(db, { sessionNum: session, row, at: database.now() }))) return false",
    replace: "await putMessage(db, { sessionNum: session, row, at: database.now() })",
    triedFirst: "test/unit/store/tables/claims.test.ts",
  },
  {
    name: "a call is given up after the first death of its worker",
    file: "activities/tools/run-once.ts",
    find: "starts > maxStarts",
    replace: "starts >= maxStarts",
  },
  {
    name: "a worker that stops gracefully counts as one that died",
    file: "activities/tools/run-once.ts",
    find: "    if (!claimsAtEnd) await uncountStart(once)\n",
    replace: "",
  },
  {
    name: "a call that is not safe to repeat is claimed only when it ends",
    file: "activities/tools/run-once.ts",
    find: "  call.idempotent &&\n",
    replace: "",
  },
  {
    name: "a repetition of a claim by the same attempt counts as one of another",
    file: "activities/tools/run-once.ts",
    find: "const isOwn = wasMade && result.existing?.fence === fence",
    replace: "const isOwn = false as boolean",
  },
  {
    name: "an answer and its events are two transactions",
    file: "activities/model/record-answer.ts",
    find: `    return await deps.store.transaction(async (writes) => {
      // First, since it locks the session.
      await announceAnswer(writes, input, turn)
`,
    replace: `    await deps.store.transaction((writes) => announceAnswer(writes, input, turn))
    return await deps.store.transaction(async (writes) => {
`,
  },
  {
    name: "an event that is appended again is in the log twice",
    file: "store/events/append-events.ts",
    find: "ordinal: event.ordinal ?? null,",
    replace: "ordinal: null,",
  },
  {
    name: "an event after a reset counts as the one whose number it has",
    file: "store/events/other-events.ts",
    find: "found.data === row.data) return []",
    replace: "found.data !== null) return []",
  },
  {
    name: "a call that ran before a reset is shown as skipped",
    file: "activities/transcript/append-rows.ts",
    find: "reported[index] === false",
    replace: "reported[index] !== undefined",
  },
  {
    name: "the repeated end of a run replaces the state of the next one",
    file: "store/tables/sessions/patch-of-run.ts",
    find: "await (patch.takesOver ? row : owned)",
    replace: "await (owned === undefined ? owned : row)",
    triedFirst: "test/unit/store/tables/sessions/runs.test.ts",
  },
  {
    name: "an outcome that is final is replaced by a later one",
    file: "store/tables/sessions/runs.ts",
    find: `    .where("status", "not in", terminalStatuses)\n`,
    replace: "",
  },
]
