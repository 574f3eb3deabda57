import type { OutcomeDocument } from "../contracts/outcome-document.ts"
import type { CliContext } from "./program/cli-context.ts"
import { outcomeText, summaryLine } from "./text/outcome-text.ts"

type Printer = Pick<CliContext, "io" | "options">

/** Prints one JSON document, or its text for people. */
export const printResult = ({ io, options }: Printer, document: unknown, text: () => string): void => {
  const shown = options.output === "text" ? text() : JSON.stringify(document, null, options.output === "json" ? 2 : 0)
  if (shown !== "") io.stdout.write(`${shown}\n`)
}

/** Prints the outcome of a run: the result on stdout and, in text mode, the problem on stderr. */
export const printOutcome = (context: Printer, document: OutcomeDocument): void => {
  const { result, problem } = outcomeText(document)
  printResult(context, document, () => result)
  if (context.options.output !== "text") return
  if (problem !== undefined) context.io.stderr.write(`adjutant: ${problem}\n`)
  if (context.io.stdout.isTTY === true && document.outcome !== "started") {
    context.io.stdout.write(`\n${summaryLine(document)}\n`)
  }
}

/** Returns the document of a run that continues without this process. */
export const startedDocument = (run: { readonly sessionId: string; readonly runId: string }): OutcomeDocument => ({
  outcome: "started",
  task_id: run.sessionId,
  session_id: run.sessionId,
  run_id: run.runId,
})

/** Prints the results for the tasks of a target: one document for one task, a list for `all`. */
export const printForEach = <Item>(
  context: Printer,
  { target, items }: { readonly target: string; readonly items: readonly Item[] },
  text: (item: Item) => string,
): void =>
  printResult(context, target === "all" ? { items } : items[0], () =>
    items.length === 0 ? "No such task." : items.map(text).join("\n"),
  )
