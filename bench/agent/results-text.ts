import type { AgentUnderTest, TaskResult } from "./run-task.ts"

const money = (usd: number | null): string => (usd === null ? "unknown" : `$${usd.toFixed(4)}`)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

const cells = (columns: readonly (string | number)[]): string => `| ${columns.join(" | ")} |`

/** Returns a table of the results of one agent, with their sums. */
export const resultsText = ({ model, profile }: AgentUnderTest, results: readonly TaskResult[]): string => {
  const costs = results.map(({ costUsd }) => costUsd)
  const rows = results.map(({ task, isSolved, end, steps, tokens, costUsd, wasted, seconds }) =>
    cells([task, isSolved ? "yes" : "no", end, steps, tokens, money(costUsd), wasted, seconds.toFixed(0)]),
  )
  const total = cells([
    ...["all", `${results.filter(({ isSolved }) => isSolved).length} of ${results.length}`, ""],
    ...[sum(results.map(({ steps }) => steps)), sum(results.map(({ tokens }) => tokens))],
    money(costs.every((cost) => cost !== null) ? sum(costs) : null),
    ...[sum(results.map(({ wasted }) => wasted)), sum(results.map(({ seconds }) => seconds)).toFixed(0)],
  ])
  return [
    `profile ${profile}, model ${model}`,
    "",
    cells(["task", "solved", "end", "steps", "tokens", "cost", "wasted calls", "seconds"]),
    cells(["---", "---", "---", "---", "---", "---", "---", "---"]),
    ...rows,
    total,
  ].join("\n")
}
