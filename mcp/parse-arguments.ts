import type { z } from "zod"
import { argumentProblem } from "../contracts/argument-problem.ts"
import { errorResult } from "../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../domain/delegation/tool-answer.ts"

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string }

/** Arguments by their schema, or what is wrong with them, field by field. */
export const parseArguments = <T extends z.ZodType>(schema: T, args: unknown): Parsed<z.infer<T>> => {
  const parsed = schema.safeParse(args ?? {})
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, problem: argumentProblem(parsed.error) }
}

export const invalidArguments = (problem: string): ToolAnswer => errorResult("VALIDATION_ERROR", problem)
