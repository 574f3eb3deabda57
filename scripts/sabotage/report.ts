import { z } from "zod"
import type { Outcome } from "./try-fault.ts"

export interface TriedFault {
  readonly area: string
  readonly name: string
  readonly outcome: Outcome
}

const describeOutcome = (outcome: Outcome): string => {
  switch (outcome.at) {
    case "caught":
      return `caught by ${outcome.file} › ${outcome.title}`
    case "slipped":
      return `SLIPPED through ${outcome.files} test files`
    default:
      return `UNCLEAR: ${outcome.reason}`
  }
}

export const faultLine = ({ area, name, outcome }: TriedFault): string =>
  `${area}: ${name}: ${describeOutcome(outcome)}`

/** Returns a table with a row for each area, and one for all. */
export const areaTable = (tried: readonly TriedFault[]): string => {
  const count = (faults: readonly TriedFault[]) =>
    [
      faults.length,
      ...(["caught", "slipped", "unclear"] as const).map(
        (at) => faults.filter(({ outcome }) => outcome.at === at).length,
      ),
    ].map((number) => String(number))
  const areas = [...Map.groupBy(tried, ({ area }) => area)].map(([area, faults]) => [area, ...count(faults)])
  const rows = [["area", "faults", "caught", "slipped", "unclear"], ...areas, ["all", ...count(tried)]]
  return rows
    .map((cells) => cells.map((cell, at) => (at === 0 ? cell.padEnd(12) : cell.padStart(8))).join(""))
    .join("\n")
}

const triedSchema = z.array(
  z.object({
    area: z.string(),
    name: z.string(),
    outcome: z.discriminatedUnion("at", [
      z.object({ at: z.literal("caught"), file: z.string(), title: z.string() }),
      z.object({ at: z.literal("slipped"), files: z.number() }),
      z.object({ at: z.literal("unclear"), reason: z.string() }),
    ]),
  }),
)

/** Reads what `--json` wrote. */
export const parseTried = (json: string): readonly TriedFault[] => triedSchema.parse(JSON.parse(json))

/** Returns one line for each fault that was caught in an earlier run and is not caught now. */
export const lostLines = (before: readonly TriedFault[], now: readonly TriedFault[]): readonly string[] =>
  now.flatMap(({ name, outcome }) => {
    const earlier = before.find((each) => each.name === name)?.outcome
    return earlier?.at === "caught" && outcome.at !== "caught"
      ? [`${name}: was caught by ${earlier.file} › ${earlier.title}`]
      : []
  })
