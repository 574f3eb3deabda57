import { InvalidArgumentError } from "commander"

/** Parsers for commander: their message follows the flag's name that commander puts in front. */
export const positiveInteger =
  (max: number) =>
  (value: string): number => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < 1 || number > max) {
      throw new InvalidArgumentError(`It takes a whole number from 1 to ${max}.`)
    }
    return number
  }

export const nonNegativeNumber = (value: string): number => {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || !Number.isFinite(number)) {
    throw new InvalidArgumentError("It takes a number, 0 or more.")
  }
  return number
}

export const nonEmpty = (value: string): string => {
  if (value.trim() === "") throw new InvalidArgumentError("It must not be empty.")
  return value
}

/** For options that may be given several times; an empty value is refused. */
export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  nonEmpty(value).trim(),
]

export const port = (value: string): number => {
  const number = Number(value)
  if (!/^\d{1,5}$/.test(value) || number > 65_535) {
    throw new InvalidArgumentError("It takes a port from 0 (any free one) to 65535.")
  }
  return number
}
