import { nonEmpty } from "./program/option-parsers.ts"

export interface TargetFlags {
  readonly parent?: string
}

/** For commander's `argument` and `option`: the task that a command is about, in all the ways in which one can be named. */
export const targetArgument = [
  "<target>",
  "task id, checkpoint id or label; with --parent also #n or all",
  nonEmpty,
] as const
export const parentOption = ["--parent <id>", "the task whose children #n and all mean", nonEmpty] as const
