import { notIncluded } from "../calls/apply-decision.ts"
import { approveAllOptions } from "../approval/resume-command.ts"
import { pendingCalls } from "../calls/tool-batch.ts"
import { timesText } from "../text/figures.ts"
import { codeBlock, inlineCode, inlineMarkdown } from "../text/shown/markdown.ts"
import type { SessionState } from "../session/session-state.ts"

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`

const money = (microUsd: number | null): string => (microUsd === null ? "unknown" : `$${(microUsd / 1e6).toFixed(4)}`)

/**
 * The UI of Temporal (2.42.1) gives the details a frame that is about 30 pixels too short for them. What is cut off there are these lines, which say
 * nothing.
 */
const roomForCut = ["", "\u00a0", "", "\u00a0"]

/**
 * Returns Markdown for the engine's UI: how an operator can decide what is pending, then what that is and the status, with the cause if the run has not
 * completed. Texts of others are shown as code.
 * Blank lines surround lists and blocks, as Markdown requires.
 */
export const operatorDetails = (state: SessionState, status: string, cause: string | null = null): string => {
  const { run, warnings } = state
  const paragraphs: Paragraphs = [
    ...(run.pause === null ? [] : pauseParagraphs(state, run.pause)),
    [
      `**Status:** ${status} · step ${run.stepsTaken} · ran ${seconds(run.ranMs)} · cost ${money(run.usage.costMicroUsd)}`,
    ],
    ...(cause === null ? [] : [[`**Cause:** ${inlineMarkdown(cause)}`]]),
    ...queueParagraphs(state, status),
    ...(run.compacted === undefined ? [] : [[`**Context:** shortened ${timesText(run.compacted)}`]]),
    ...machineParagraphs(state),
    ...fallbackParagraphs(run),
    ...outageParagraphs(run),
    ...rateParagraphs(run),
    ...childParagraphs(state),
    ...(warnings.length === 0 ? [] : [["**Ignored:**"], warnings.map((warning) => `- ${inlineMarkdown(warning)}`)]),
  ]
  return [paragraphs.map((lines) => lines.join("\n")).join("\n\n"), ...roomForCut].join("\n")
}

type Paragraphs = readonly (readonly string[])[]

const queueParagraphs = ({ slot }: SessionState, status: string): Paragraphs =>
  slot.at === "waiting" && status === "pending"
    ? [["**Queued:** waiting for a slot of the lane; the `queue` query of the `lane/` workflow has the order"]]
    : []

const machineParagraphs = ({ missingMachines = [] }: SessionState): Paragraphs => {
  if (missingMachines.length === 0) return []
  const names = missingMachines.map((name) => `\`${name}\``).join(", ")
  const problem =
    missingMachines.length === 1
      ? `no worker runs on the machine ${names}, which has the working directory`
      : `no worker of these machines has the working directory: ${names}`
  return [[`**Waiting for a worker:** ${problem}`]]
}

const fallbackParagraphs = ({ fallback }: SessionState["run"]): Paragraphs =>
  fallback == null || fallback.model === fallback.primary
    ? []
    : [
        [
          `**Fallback model:** ${inlineMarkdown(fallback.model)} takes the steps of this run instead of ${inlineMarkdown(fallback.primary)}, which was unavailable`,
        ],
      ]

const outageParagraphs = ({ outage }: SessionState["run"]): Paragraphs =>
  outage == null
    ? []
    : [
        [
          "**To try now:** *More Actions → Send a Signal*, name `retry`; otherwise the next try is at " +
            new Date(outage.nextAtMs).toISOString(),
        ],
        [
          `**Waiting for the provider** of ${inlineMarkdown(outage.model)} since ${new Date(outage.sinceMs).toISOString()}:`,
        ],
        [codeBlock(outage.reason)],
      ]

const rateParagraphs = ({ rateLimit }: SessionState["run"]): Paragraphs =>
  rateLimit == null
    ? []
    : [
        [
          `**Waiting for the rate limit** of ${inlineMarkdown(rateLimit.model)} since ${rateLimit.since}; next try at ${new Date(rateLimit.nextAtMs).toISOString()}`,
        ],
      ]

const childParagraphs = (state: SessionState): Paragraphs => {
  const open = state.run.children.filter(({ status }) => status !== "ended")
  if (open.length === 0) return []
  return [
    ["**Sub-agents:**"],
    open.map(({ id, ordinal, agent, label, status, isAway }) => {
      const name = [agent, ...(label === null ? [] : [label])].map(inlineMarkdown).join(" ")
      return `- #${ordinal} ${name} ${inlineCode(`subagent/${id}`)}: ${status}${isAway === true ? ", waits for its provider" : ""}`
    }),
  ]
}

const mostListed = 4

const pauseParagraphs = (state: SessionState, pause: NonNullable<SessionState["run"]["pause"]>): Paragraphs => {
  const signal = "*More Actions → Send a Signal*"
  const resume = `adjutant resume ${state.sessionId}`
  if (pause.type === "input_required")
    return [
      [
        `**To answer:** ${signal}, name \`input\`, input \`"your answer"\`; in a terminal, ${inlineCode(`${resume} "your answer"`)}`,
      ],
      ["**Waiting for an answer:**"],
      [codeBlock(pause.message)],
    ]
  const open = pause.calls.filter((call) => !Object.hasOwn(pause.decided, call.id))
  const ids = open.map((call) => call.id)
  // A line that is longer than the page is cut: a list of many ids is only begun, and each is below.
  const list =
    ids.length > mostListed ? `${JSON.stringify(ids.slice(0, mostListed)).slice(0, -1)},…]` : JSON.stringify(ids)
  const { batch } = state.run
  const named = batch === null ? [] : notIncluded({ action: "accept" }, pendingCalls(batch))
  const inputs = [
    ...(named.length === 0 ? ['`"all"`'] : []),
    inlineCode(ids.length === 1 ? JSON.stringify(ids[0]) : list),
  ].join(" or ")
  return [
    [
      `**To decide:** ${signal}, name \`approve\` (or \`reject\`), input ${inputs}; ` +
        `in a terminal, ${inlineCode(`${resume} ${approveAllOptions(named)}`)}`,
    ],
    ["**Waiting for approval:**"],
    open.map(({ id, preview }) => `- ${inlineCode(id)} ${inlineMarkdown(preview)}`),
    [`Complete previews: ${inlineCode(`adjutant info ${state.sessionId}`)}`],
  ]
}
