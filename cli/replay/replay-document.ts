import { counted, timesText } from "../../domain/text/figures.ts"
import type { CallDifference, PlayedRun } from "../../domain/replay/compare-runs.ts"
import type { ReplayReport } from "../../worker/replay/replay-session.ts"
import { oneLine, plainText } from "../terminal/plain-text.ts"

const runDocument = ({ model, steps, calls, usage, end, finalMessage }: PlayedRun) => ({
  model,
  steps,
  calls: calls.map(({ step, name, arguments: args }) => ({ step, name, arguments: args })),
  outcome: end,
  final_message: finalMessage,
  usage,
})

/** Returns the JSON document of `adjutant replay`. */
export const replayDocument = (report: ReplayReport) => ({
  task_id: report.sessionId,
  run_id: report.runId,
  from_step: report.fromStep,
  same: report.same,
  differences: {
    outcome: !report.sameOutcome,
    final_message: !report.sameFinalMessage,
    calls: report.calls,
    cost_usd: report.costDifferenceUsd,
  },
  unrecorded_call:
    report.unrecorded === null
      ? null
      : {
          step: report.unrecorded.step,
          name: report.unrecorded.name,
          arguments: report.unrecorded.arguments,
          recorded_times: report.unrecorded.made,
        },
  recorded: runDocument(report.recorded),
  replayed: runDocument(report.replayed),
})

export type ReplayDocument = ReturnType<typeof replayDocument>

const maxCallCharacters = 200

const callText = (call: CallDifference["recorded"]): string =>
  call === null ? "no more calls" : oneLine(`${call.name} ${JSON.stringify(call.arguments)}`, maxCallCharacters)

const finalText = (message: string | null): string => (message === null ? "none" : plainText(message))

const replayCostText = (usd: number | null): string => (usd === null ? "unknown cost" : `$${usd.toFixed(4)}`)

const runLine = (label: string, run: ReplayDocument["recorded"]): string =>
  `${label}: ${run.model}, ${counted(run.steps, "step")}, ${counted(run.calls.length, "call")}, ${replayCostText(run.usage.cost_usd)}, ${run.outcome}`

const unrecordedText = (call: NonNullable<ReplayDocument["unrecorded_call"]>): string => {
  const made = call.recorded_times === 0 ? "did not make" : `made only ${timesText(call.recorded_times)}`
  return `The replay ended at step ${call.step}: the model made a call that the recording ${made}, so that it has no result:\n  ${callText(call)}`
}

/** Returns the same for people. */
export const replayText = (document: ReplayDocument): string => {
  const { differences, recorded, replayed } = document
  const calls = differences.calls.flatMap(({ call, recorded: before, replayed: after }) => [
    `  call ${call}: recorded ${callText(before)}`,
    `  ${" ".repeat(`call ${call}: `.length)}replayed ${callText(after)}`,
  ])
  return [
    runLine("recorded", recorded),
    runLine("replayed", replayed),
    ...(calls.length === 0 ? ["The calls are the same."] : ["The calls differ:", ...calls]),
    ...(document.unrecorded_call === null ? [] : [unrecordedText(document.unrecorded_call)]),
    ...(replayed.outcome === "budget"
      ? ["The replay reached its limit of cost: raise it with --budget-usd or --budget-tokens."]
      : []),
    ...(differences.outcome ? [`The outcome differs: ${recorded.outcome} became ${replayed.outcome}.`] : []),
    ...(differences.final_message
      ? [
          `The final message differs:\n  recorded: ${finalText(recorded.final_message)}\n  replayed: ${finalText(replayed.final_message)}`,
        ]
      : []),
  ].join("\n")
}
