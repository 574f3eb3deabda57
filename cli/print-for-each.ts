import { printResult } from "./print-result.ts"
import type { CliContext } from "./program/cli-context.ts"

/** What was done to the tasks that a target named: one document for one task, a list for `all`. */
export const printForEach = <Item>(
  context: Pick<CliContext, "io" | "options">,
  { target, items }: { readonly target: string; readonly items: readonly Item[] },
  text: (item: Item) => string,
): void =>
  printResult(context, target === "all" ? { items } : items[0], () =>
    items.length === 0 ? "There is no such task." : items.map(text).join("\n"),
  )
