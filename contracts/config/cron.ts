// The five fields of a cron expression, with the values that Temporal accepts.

interface CronField {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Names of the values, the first one of `from`, of which the first `letters` suffice. */
  readonly names?: readonly string[]
  readonly letters?: number
}

const months = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
]
const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

const fields: readonly CronField[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  { name: "month", from: 1, to: 12, names: months, letters: 3 },
  // 7 is Sunday, too.
  { name: "day of the week", from: 0, to: 7, names: days, letters: 2 },
]

/** Returns the number that a value stands for; undefined if it is none of the field's. */
const numberOf = (text: string, { from, to, names = [], letters = 0 }: CronField): number | undefined => {
  const named = text.length < letters ? -1 : names.findIndex((name) => name.startsWith(text.toLowerCase()))
  const number = named >= 0 ? named + from : /^\d+$/.test(text) ? Number(text) : Number.NaN
  return number >= from && number <= to ? number : undefined
}

/** Returns whether a field has this part: `*`, a value or a range, each with or without a step. */
const hasPart = (part: string, field: CronField): boolean => {
  const [range = "", step, ...rest] = part.split("/")
  if (rest.length > 0 || (step !== undefined && !/^\d{0,9}[1-9]\d{0,9}$/.test(step))) return false
  if (range === "*") return true
  const [first = "", last = first, ...more] = range.split("-")
  const [from, to] = [numberOf(first, field), numberOf(last, field)]
  return more.length === 0 && from !== undefined && to !== undefined && from <= to
}

/** Returns what is wrong with the values of a cron expression of five fields; undefined if Temporal accepts them. */
export const cronProblem = (cron: string): string | undefined => {
  const texts = cron.split(" ")
  for (const [index, field] of fields.entries()) {
    const text = texts[index] ?? ""
    if (!text.split(",").every((part) => hasPart(part, field)))
      return `has ${JSON.stringify(text)} as ${field.name}: write values from ${field.from} to ${field.to}, as *, ${field.to - 2}, ${field.from}-${field.from + 3}, or */2`
  }
  return undefined
}
