import { codeBlock, inlineCode, inlineMarkdown } from "../text/shown/markdown.ts"
import type { SessionState } from "../run/session-state.ts"

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`

const money = (microUsd: number | null): string => (microUsd === null ? "unknown" : `$${(microUsd / 1e6).toFixed(4)}`)

/** Returns Markdown for the engine's UI: the status, what is pending, and how an operator can decide it there. Texts of others are shown as code. */
export const operatorDetails = (state: SessionState, status: string): string => {
  const { run } = state
  const lines = [
    `**Status:** ${status} · step ${run.stepsTaken} · ran ${seconds(run.ranMs)} · cost ${money(run.usage.costMicroUsd)}`,
  ]
  if (state.slot.position !== null) lines.push("", `**Queued:** position ${state.slot.position} in the lane`)
  else if (state.slot.at === "waiting" && status === "pending")
    lines.push(
      "",
      "**Queued:** waiting for a slot of the lane; the `queue` query of the `lane/` workflow has the order",
    )
  if (run.compacted !== undefined)
    lines.push("", `**Context:** shortened ${run.compacted === 1 ? "once" : `${run.compacted} times`}`)
  lines.push(...machineLines(state), ...fallbackLines(run), ...outageLines(run), ...childLines(state))
  if (run.pause !== null) lines.push(...pauseLines(state, run.pause))
  if (state.warnings.length > 0)
    lines.push("", "**Ignored:**", ...state.warnings.map((warning) => `- ${inlineMarkdown(warning)}`))
  return lines.join("\n")
}

const machineLines = ({ missingMachines = [] }: SessionState): string[] => {
  if (missingMachines.length === 0) return []
  const names = missingMachines.map((name) => `\`${name}\``).join(", ")
  const problem =
    missingMachines.length === 1
      ? `no worker runs on the machine ${names}, which has the working directory`
      : `no worker of these machines has the working directory: ${names}`
  return ["", `**Waiting for a worker:** ${problem}`]
}

const fallbackLines = ({ fallback }: SessionState["run"]): string[] =>
  fallback == null || fallback.model === fallback.primary
    ? []
    : [
        "",
        `**Fallback model:** ${inlineMarkdown(fallback.model)} takes the steps of this run instead of ${inlineMarkdown(fallback.primary)}, which was unavailable`,
      ]

const outageLines = ({ outage }: SessionState["run"]): string[] =>
  outage == null
    ? []
    : [
        "",
        `**Waiting for the provider** of ${inlineMarkdown(outage.model)} since ${new Date(outage.sinceMs).toISOString()}:`,
        codeBlock(outage.reason),
        "",
        `Next try at ${new Date(outage.nextAtMs).toISOString()}. To try now: *More Actions → Send a Signal*, name \`retry\``,
      ]

const childLines = (state: SessionState): string[] => {
  const open = state.run.children.filter(({ status }) => status !== "ended")
  if (open.length === 0) return []
  return [
    "",
    "**Sub-agents:**",
    ...open.map(({ id, ordinal, agent, label, status }) => {
      const name = [agent, ...(label === null ? [] : [label])].map(inlineMarkdown).join(" ")
      return `- #${ordinal} ${name} ${inlineCode(`subagent/${id}`)}: ${status}`
    }),
  ]
}

const pauseLines = (state: SessionState, pause: NonNullable<SessionState["run"]["pause"]>): string[] => {
  if (pause.type === "input_required")
    return [
      "",
      "**Waiting for an answer:**",
      codeBlock(pause.message),
      "",
      'Answer here: *More Actions → Send a Signal*, name `input`, input `"your answer"`,',
      `or: \`adjutant resume ${state.sessionId} "your answer"\``,
    ]
  const open = pause.calls.filter((call) => !Object.hasOwn(pause.decided, call.id))
  return [
    "",
    "**Waiting for approval:**",
    ...open.flatMap((call) => [`- ${inlineCode(call.id)} **${inlineMarkdown(call.name)}**`, codeBlock(call.preview)]),
    `The complete preview: \`adjutant info ${state.sessionId}\``,
    "",
    "Decide here: *More Actions → Send a Signal*, name `approve` (or `reject`), input " +
      `${inlineCode(JSON.stringify(open.length === 1 ? open[0]?.id : open.map((call) => call.id)))} or \`"all"\`,`,
    `or: \`adjutant resume ${state.sessionId} --approve-all\``,
  ]
}
