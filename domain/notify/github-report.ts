import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { noticesOf } from "../preview/preview-lines.ts"
import { startOf } from "../text/foreign/well-formed.ts"
import { visible } from "../text/visible.ts"

/** Far below the limit of a step's summary, 1 MiB. */
const maxPart = 100_000
const maxAnnotation = 2_000
/** GitHub shows ten annotations of a kind in a step. */
const maxAnnotations = 10

type Reported = Exclude<OutcomeDocument, { readonly outcome: "started" }>

/** A text of a model is shown as it is, whatever it contains. */
const fenced = (text: string): readonly string[] => {
  const shown = startOf(text.trimEnd(), maxPart)
  if (shown === "") return []
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = "`".repeat(longest + 1)
  return [`${fence}text`, shown, fence, ""]
}

const costText = ({ usage }: Reported): string => (usage.cost_usd === null ? "" : ` · $${usage.cost_usd.toFixed(4)}`)

const factsOf = (document: Reported): string => {
  const { task_id: id, steps_taken: steps } = document
  return `Task \`${id}\` · ${steps} ${steps === 1 ? "step" : "steps"}${costText(document)}`
}

const pausedLines = (document: Extract<Reported, { readonly outcome: "paused" }>): readonly string[] => [
  ...fenced(document.agent_message),
  ...(document.pause_reason.pending_tool_calls ?? []).flatMap(({ preview }) => [
    ...fenced([preview.summary, ...noticesOf(preview).map((notice) => `! ${notice}`)].join("\n")),
    ...fenced(preview.diff ?? preview.text ?? ""),
  ]),
  "To continue:",
  "",
  ...fenced(document.resume_hint),
]

const titles = { completed: "Adjutant: completed", paused: "Adjutant: waits for a person", failed: "Adjutant: failed" }

/** Returns the summary of a step that ran an agent, in Markdown. */
export const githubSummary = (document: Reported): string => {
  const head = [`### ${titles[document.outcome]}`, "", factsOf(document), ""]
  switch (document.outcome) {
    case "completed":
      return [...head, ...fenced(document.final_message)].join("\n")
    case "paused":
      return [...head, ...pausedLines(document)].join("\n")
    case "failed":
      return [
        ...head,
        ...fenced(`${document.stop_reason}: ${document.error.message}`),
        ...fenced(document.partial_output ?? ""),
      ].join("\n")
  }
}

const escapedData = (text: string): string => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A")
const escapedProperty = (text: string): string => escapedData(text).replace(/:/g, "%3A").replace(/,/g, "%2C")

const annotation = (
  level: "error" | "warning",
  { title, message, file }: { readonly title: string; readonly message: string; readonly file?: string | undefined },
): string => {
  const properties = [
    ...(file === undefined ? [] : [`file=${escapedProperty(file)}`]),
    `title=${escapedProperty(title)}`,
  ]
  return `::${level} ${properties.join(",")}::${escapedData(startOf(visible(message), maxAnnotation))}`
}

/** Returns the annotations of a run, as the commands that GitHub Actions reads from the output of a step: what failed, or each call that waits, at its file. */
export const githubAnnotations = (document: Reported): readonly string[] => {
  switch (document.outcome) {
    case "completed":
      return (document.warnings ?? [])
        .slice(0, maxAnnotations)
        .map(({ message }) => annotation("warning", { title: "Adjutant", message }))
    case "failed":
      return [annotation("error", { title: `Adjutant: ${document.stop_reason}`, message: document.error.message })]
    case "paused": {
      const calls = document.pause_reason.pending_tool_calls ?? []
      if (calls.length === 0)
        return [annotation("warning", { title: "Adjutant asks", message: document.agent_message || "a question" })]
      return calls.slice(0, maxAnnotations).map(({ preview }) =>
        annotation("warning", {
          title: "Adjutant asks to approve",
          message: [preview.summary, ...noticesOf(preview)].join("\n"),
          file: preview.file?.path,
        }),
      )
    }
  }
}
