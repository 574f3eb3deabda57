import { asyncLocalStorage } from "@temporalio/activity"
import { usdOf } from "../../domain/limits/usage-totals.ts"
import type { Message } from "../../contracts/message.ts"
import { finalStatusOf } from "../../domain/run/final-status-of.ts"
import { lastText, answerText } from "../../domain/transcript/last-text.ts"
import { isSilentReply } from "../../domain/delegation/silent-reply.ts"
import { readLastRows } from "../../sessions/rows/read-last-text.ts"
import { recordOutcome } from "../../sessions/outcome/record-outcome.ts"
import type { RunOutcome } from "../../sessions/rows/run-outcome.ts"
import { type SessionSignal, signalSession } from "../../engine/send-update.ts"
import { reportByHand } from "../../sessions/delivery/report-by-hand.ts"
import { keepUndelivered } from "../../sessions/delivery/undelivered.ts"
import { keepWarnings } from "../../sessions/rows/run-warnings.ts"
import type { SessionPatch, Store } from "../../store/store.ts"
import type { AppendItem, CloseRunInput, RunStoreActivities } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { wholeSpending } from "../limits/reset-spending.ts"
import { appendRows } from "../transcript/append-rows.ts"
import { closeStalePause } from "../transcript/close-pause.ts"
import type { FindElsewhere } from "./placement.ts"
import { stopBackgroundHere } from "./stop-background.ts"
import { writeOutbox } from "../transcript/write-outbox.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import { readFinishResult, readResult } from "../../domain/transcript/read-result.ts"
import { resultText } from "../../sessions/result/check-result.ts"
import { previewOf } from "../../domain/text/preview.ts"

/** Whether a row is the result of a call. In a run without a model, that is the answer of its agent. */
const isResultOf = (message: Message, callId: string): boolean =>
  message.role === "assistant" || (message.role === "tool" && message.call_id === callId)

/** Drops the placeholder results of calls that have written their own since. */
const stillMissing = async (store: Pick<Store, "messages">, input: CloseRunInput): Promise<readonly AppendItem[]> => {
  const items = await Promise.all(
    input.append.map(async (item) => {
      if (item.kind !== "result") return [item]
      const row = await store.messages.get(input.sessionId, item.seq)
      return row?.runId === input.runId && isResultOf(row.message, item.callId) ? [] : [item]
    }),
  )
  return items.flat()
}

/** The last place of the transcript, with what a cut-off model turn left behind, or the instruction of a run that ended before its first step. */
const headOf = async (store: Pick<Store, "messages" | "runs" | "sessions">, input: CloseRunInput): Promise<number> => {
  const { sessionId, runId, headSeq, partialSeq, stepsTaken } = input
  const run = await store.runs.get(runId)
  // Its workflow does not know where the transcript of earlier runs ends.
  if (run?.startedAt === null) return (await store.sessions.get(sessionId))?.headSeq ?? headSeq
  const next = await store.messages.get(sessionId, partialSeq)
  if (next?.runId !== runId) return headSeq
  const { role } = next.message
  const isOwn = (role === "assistant" && next.step >= stepsTaken) || (role === "user" && stepsTaken === 0)
  return isOwn ? partialSeq : headSeq
}

const finishResult = (message: Message | undefined, callId: string): unknown => {
  const call = findToolCall(message, callId)
  return call === undefined ? undefined : (call.arguments?.["result"] ?? "")
}

interface FinalMessage {
  readonly text: string
  /** It asked that nothing be announced, and left no other answer. */
  readonly isSilent: boolean
}

const announced = (text: string): FinalMessage => ({ text, isSilent: false })

/** Returns the result of a run that has an output schema, as JSON; undefined for any other run. */
const readValidResult = async (
  store: Pick<Store, "sessions" | "messages" | "snapshots">,
  input: CloseRunInput,
  headSeq: number,
): Promise<string | undefined> => {
  const snapshot = await store.snapshots.get(input.snapshotHash)
  if (input.stopReason !== "completed" || snapshot?.outputSchema === undefined) return undefined
  if (input.finish !== null) {
    const row = await store.messages.get(input.sessionId, input.finish.assistantSeq)
    return await resultText(snapshot, readFinishResult(finishResult(row?.message, input.finish.callId)))
  }
  const rows = await readLastRows(store, { sessionId: input.sessionId, headSeq })
  return await resultText(snapshot, readResult(lastText(rows, input.runId)))
}

const readFinalMessage = async (
  store: Pick<Store, "sessions" | "messages" | "snapshots">,
  input: CloseRunInput,
  headSeq: number,
): Promise<FinalMessage> => {
  const valid = await readValidResult(store, input, headSeq)
  if (valid !== undefined) return announced(valid)
  if (input.finish !== null) {
    const row = await store.messages.get(input.sessionId, input.finish.assistantSeq)
    const result = finishResult(row?.message, input.finish.callId)
    if (result !== undefined) return announced(typeof result === "string" ? result : JSON.stringify(result))
  }
  const rows = await readLastRows(store, { sessionId: input.sessionId, headSeq })
  const text = lastText(rows, input.runId)
  if (!isSilentReply(text)) return announced(text)
  // A child's token is for its parent. At the top, it leaves the answer that was given before it.
  const session = await store.sessions.get(input.sessionId)
  if (session?.parentId !== null) return { text, isSilent: true }
  const before = lastText(
    rows.filter(({ message }) => message.role !== "assistant" || !isSilentReply(answerText(message))),
    input.runId,
  )
  return { text: before, isSilent: before === "" || text.trim() === "ANNOUNCE_SKIP" }
}

/** Whether the thread has received the final message while the run was open: the agent has said nothing since. */
const wasSaid = async (
  store: Pick<Store, "messages">,
  { sessionId, runId, finish, saidSeq }: CloseRunInput,
  headSeq: number,
): Promise<boolean> => {
  if (saidSeq === undefined || finish !== null) return false
  const rows = await store.messages.read(sessionId, { fromSeq: saidSeq + 1, headSeq })
  const spoken = rows.filter(({ message }) => message.role !== "assistant" || !isSilentReply(answerText(message)))
  return lastText(spoken, runId) === ""
}

/** Returns the session's state after the run: the run's outcome, or the next run that is about to start. */
const sessionAfter = (input: CloseRunInput, outcome: RunOutcome): SessionPatch =>
  input.nextRunId === null
    ? { ...outcome }
    : { status: "pending", runId: input.nextRunId, stopReason: null, finalMessage: null, error: null }

const scheduled = (): { readonly since?: number } => {
  const info = asyncLocalStorage.getStore()?.info
  return info === undefined ? {} : { since: info.scheduledTimestampMs }
}

const record = async (
  store: Pick<Store, "sessions" | "usage" | "runs" | "events" | "transaction">,
  input: CloseRunInput,
  { outcome, headSeq }: { readonly outcome: RunOutcome; readonly headSeq: number },
): Promise<void> => {
  const { sessionId, runId, stepsTaken } = input
  const usage = await store.usage.total({ sessionId, runId })
  await recordOutcome(store, {
    ...outcome,
    sessionId,
    runId,
    stepsTaken,
    costUsd: usdOf(usage.costMicroUsd),
    spending: await wholeSpending(store, input),
    ...(input.warnings === undefined ? {} : { warnings: input.warnings }),
    ...scheduled(),
    session: { ...sessionAfter(input, outcome), stepsTaken: input.sessionSteps, headSeq },
  })
}

type CloseDependencies = Pick<
  AgentDependencies,
  "store" | "sandboxFor" | "logger" | "announcer" | "machine" | "temporal" | "tracer" | "metrics"
> & {
  readonly findElsewhere: FindElsewhere
}

/** Returns the other machines on which the run may have background processes: where it left them, and where a call of it was interrupted. */
const machinesToAsk = async (
  { machine, findElsewhere }: CloseDependencies,
  { sessionId, backgroundMachines = [], unreachedMachines }: CloseRunInput,
): Promise<readonly string[]> => {
  if (unreachedMachines !== undefined) return []
  const answer = (await findElsewhere(sessionId))?.elsewhere
  const own = answer?.isKnown === true ? answer.machines : []
  return [...new Set([...backgroundMachines, ...own])].filter((name) => name !== machine.name)
}

/** Notes the machines that could not be asked: their next worker stops the processes when it starts. */
const noteUnreached = async (
  { store, logger }: CloseDependencies,
  { sessionId, unreachedMachines = [] }: CloseRunInput,
): Promise<void> => {
  for (const name of unreachedMachines) {
    await store.machines.noteLeft(name, sessionId)
    logger.warn(
      { session_id: sessionId, machine: name },
      "background processes may still run on a machine without a worker; its next worker stops them",
    )
  }
}

/** Stops the run's background processes of this machine. Returns the other machines where that has to happen before the outcome is recorded. */
const stopBackground = async (deps: CloseDependencies, input: CloseRunInput): Promise<readonly string[]> => {
  await stopBackgroundHere(deps, input.sessionId)
  await noteUnreached(deps, input)
  return await machinesToAsk(deps, input)
}

/** Records a run's terminal outcome. A run that is final stays as it is; repeating it changes nothing. */
export const createCloseRun =
  (deps: CloseDependencies): RunStoreActivities["closeRun"] =>
  async (input) => {
    const { store, announcer } = deps
    const { sessionId, runId, stopReason, error } = input
    await appendRows(store, input, { step: input.stepsTaken, items: await stillMissing(store, input) })
    const headSeq = await headOf(store, input)
    await writeOutbox(store, input, input.outbox)
    await closeStalePause(store, input)
    const { text, isSilent } = await readFinalMessage(store, input, headSeq)
    const outcome: RunOutcome = { status: finalStatusOf(stopReason), stopReason, finalMessage: text, error }
    // Stop the processes before the outcome becomes visible.
    const stopFirst = input.hasBackground ? await stopBackground(deps, input) : []
    if (stopFirst.length > 0) return { headSeq, preview: "", stopFirst }
    // Its thread is idle from here on.
    if (input.saidSeq !== undefined) await store.bindings.touch(sessionId)
    await keepWarnings(store, input, input.warnings ?? [])
    await record(store, input, { outcome, headSeq })
    deps.tracer?.trace(sessionId, runId)
    deps.metrics?.runEnded(stopReason)
    const isSaid = await wasSaid(store, input, headSeq)
    await keepUndelivered(store, sessionId, input.undelivered ?? [])
    const signal = (sent: SessionSignal) => signalSession(deps.temporal, sent)
    const deliveries = [
      ...(await announcer.finished({ sessionId, runId, isTop: input.isTop ?? false, isSilent, isSaid })),
      ...(await reportByHand({ store, announcer, signal }, input)),
    ]
    return {
      headSeq,
      preview: previewOf(text),
      ...(deliveries.length === 0 ? {} : { deliveries }),
    }
  }
