import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { withLimitAdvice } from "../../domain/advice/limit-advice.ts"
import type { CliContext } from "../program/cli-context.ts"
import { placeFlags } from "../program/place-flags.ts"
import type { Paint } from "../terminal/paint.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { leftText, outcomeText, summaryLine } from "./outcome-text.ts"

type Printer = Pick<CliContext, "io" | "options">

/** Prints one JSON document, or its text for people. */
export const printResult = ({ io, options }: Printer, document: unknown, text: (paint: Paint) => string): void => {
  const shown =
    options.output === "text"
      ? text(io.paint.stdout)
      : JSON.stringify(document, null, options.output === "json" ? 2 : 0)
  if (shown !== "") io.stdout.write(`${shown}\n`)
}

/** What `--watch` has already shown of an outcome, which is not repeated in the same place. */
export interface ShownBefore {
  /** The model's last text. */
  readonly shownAnswer?: string
  /** The caller writes the summary on stderr. */
  readonly isSummarised?: boolean
  /** The pause was shown, and the person at the terminal decides later. */
  readonly isLeft?: boolean
  /** The task was there before: it continues. */
  readonly isContinued?: boolean
}

/** Prints the outcome of a run: the result on stdout and, in text mode, the problem on stderr. */
export const printOutcome = (
  context: Printer & Pick<CliContext, "cwd">,
  given: OutcomeDocument,
  { shownAnswer = "", isSummarised = false, isLeft = false, isContinued = false }: ShownBefore = {},
): void => {
  const { stdout, stderr, screen, paint } = context.io
  const document = withLimitAdvice(given, "cli")
  const options = {
    shownAnswer: screen.isShared ? shownAnswer : "",
    paint: paint.stdout,
    place: placeFlags(context),
    isContinued,
  }
  const { result, problem } = outcomeText(document, options)
  const left = document.outcome === "paused" && isLeft ? leftText(document) : undefined
  printResult(context, document, () => left ?? result)
  if (context.options.output !== "text") return
  if (document.outcome === "completed" || document.outcome === "failed")
    for (const { message } of document.warnings ?? [])
      stderr.write(`${paint.stderr.yellow("warning:")} ${oneLine(message, 1_000)}\n`)
  if (problem !== undefined) stderr.write(`${paint.stderr.red("adjutant:")} ${problem}\n`)
  if (stdout.isTTY === true && document.outcome !== "started" && !(isSummarised && screen.isShared)) {
    stdout.write(`\n${summaryLine(document)}\n`)
  }
}

/** Returns the document of a run that continues without this process. */
export const startedDocument = (run: { readonly sessionId: string; readonly runId: string }): OutcomeDocument => ({
  outcome: "started",
  task_id: run.sessionId,
  session_id: run.sessionId,
  run_id: run.runId,
})

/** Prints the answers of delegation tools about the tasks of a target: one document for one task, a list for `all`. */
export const printAnswers = (
  context: Printer,
  target: string,
  answers: readonly (readonly [taskId: string, answer: ToolAnswer])[],
): void => {
  const items = answers.map(([id, { structured }]) => ({ task_id: id, session_id: id, ...structured }))
  const texts = answers.map(([, { text }]) => text)
  printResult(context, target === "all" ? { items } : items[0], () =>
    texts.length === 0 ? "No such task." : texts.join("\n"),
  )
}

/** Prints the results for the tasks of a target: one document for one task, a list for `all`. */
export const printForEach = <Item>(
  context: Printer,
  { target, items }: { readonly target: string; readonly items: readonly Item[] },
  text: (item: Item) => string,
): void =>
  printResult(context, target === "all" ? { items } : items[0], () =>
    items.length === 0 ? "No such task." : items.map(text).join("\n"),
  )
