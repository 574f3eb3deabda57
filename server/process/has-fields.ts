import { isRecord } from "../../domain/text/is-record.ts"

type Check = (value: unknown) => boolean

/** Returns a type guard for an object whose fields pass their checks. Every field of the type requires a check. */
export const hasFields =
  <T extends object>(checks: Readonly<Record<keyof T, Check>>) =>
  (value: unknown): value is T =>
    isRecord(value) && Object.entries<Check>(checks).every(([name, check]) => check(value[name]))

export const isText: Check = (value) => typeof value === "string"
