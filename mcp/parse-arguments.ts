import type { z } from "zod"
import { argumentProblem } from "../contracts/argument-problem.ts"
import { errorResult } from "../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../domain/delegation/tool-answer.ts"
import type { Checked } from "../domain/operator/operator-argument.ts"
import { answered, type McpContext, type ToolCall, type ToolHandler, type ToolReply } from "./mcp-context.ts"

/** Parses arguments by a schema. Returns the value, or what is wrong with each field. */
export const parseArguments = <T extends z.ZodType>(schema: T, args: unknown): Checked<z.infer<T>> => {
  const parsed = schema.safeParse(args ?? {})
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, problem: argumentProblem(parsed.error) }
}

export const invalidArguments = (problem: string): ToolAnswer => errorResult("VALIDATION_ERROR", problem)

/** Returns a tool that receives parsed arguments. Arguments that do not match the schema get a validation error. */
export const toolOf =
  <T extends z.ZodType>(
    schema: T,
    handle: (context: McpContext, call: ToolCall, input: z.infer<T>) => Promise<ToolReply>,
  ): ToolHandler =>
  async (context, call) => {
    const parsed = parseArguments(schema, call.args)
    if (!parsed.ok) return answered(invalidArguments(parsed.problem))
    return await handle(context, call, parsed.value)
  }

/** Returns such a tool that never asks the person and never becomes a task. */
export const answeringTool = <T extends z.ZodType>(
  schema: T,
  answer: (context: McpContext, call: ToolCall, input: z.infer<T>) => Promise<ToolAnswer>,
): ToolHandler => toolOf(schema, async (context, call, input) => answered(await answer(context, call, input)))
