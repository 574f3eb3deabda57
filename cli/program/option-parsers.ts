import { InvalidArgumentError } from "commander"

/** Returns a parser for commander, whose message follows the name of the option. */
export const positiveInteger =
  (max: number) =>
  (value: string): number => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < 1 || number > max) {
      throw new InvalidArgumentError(`use a whole number from 1 to ${max}`)
    }
    return number
  }

export const nonNegativeNumber = (value: string): number => {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || !Number.isFinite(number)) {
    throw new InvalidArgumentError("use a number, 0 or more")
  }
  return number
}

export const nonEmpty = (value: string): string => {
  if (value.trim() === "") throw new InvalidArgumentError("use a text that is not empty")
  return value
}

/** Returns the values of an option that can be repeated. Refuses an empty value. */
export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  nonEmpty(value).trim(),
]

export const port = (value: string): number => {
  const number = Number(value)
  if (!/^\d{1,5}$/.test(value) || number > 65_535) {
    throw new InvalidArgumentError("use a port from 0 (any free port) to 65535")
  }
  return number
}
