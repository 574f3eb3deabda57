import type { Figure, Goal, Side } from "../benchmark.ts"
import { judge } from "./judge.ts"
import { summarise } from "./statistics.ts"

export interface TableEntry {
  readonly name: string
  readonly title: string
  readonly figures: readonly Figure[]
}

/** Returns a number with three significant digits, without an exponent. */
export const shown = (value: number): string => {
  if (!Number.isFinite(value)) return String(value)
  if (Math.abs(value) >= 100) return value.toFixed(0)
  return String(Number(value.toPrecision(3)))
}

const withUnit = (value: number, unit: string): string => `${shown(value)} ${unit}`

const goalText = (goal: Goal | undefined, unit: string): string =>
  goal === undefined ? "" : `${goal.kind === "at-most" ? "≤" : "≥"} ${withUnit(goal.value, unit)}`

const sideText = ({ label, unit, values }: Side): string => `${label} ${withUnit(summarise(values).median, unit)}`

const row = (entry: TableEntry, figure: Figure): string => {
  const { median, min, max } = summarise(figure.values)
  const spread = figure.values.length === 1 ? "one run" : `${shown(min)}–${shown(max)} of ${figure.values.length}`
  const verdict = judge(figure)
  const cells = [
    entry.name.toUpperCase(),
    `${entry.title}: ${figure.label}`,
    `**${withUnit(median, figure.unit)}**`,
    spread,
    goalText(figure.goal, figure.unit),
    verdict === "shown" ? "" : verdict,
    (figure.sides ?? []).map(sideText).join(", "),
  ]
  return `| ${cells.join(" | ")} |`
}

/** Returns a Markdown table with one row per figure: the median with its spread, the goal and whether it is met. */
export const resultsTable = (entries: readonly TableEntry[]): string =>
  [
    "| # | what | median | spread | goal | | measured |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...entries.flatMap((entry) => entry.figures.map((figure) => row(entry, figure))),
  ].join("\n")
