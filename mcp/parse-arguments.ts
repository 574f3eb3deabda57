import { z } from "zod"
import { argumentProblem } from "../contracts/argument-problem.ts"
import { errorResult } from "../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../domain/delegation/tool-answer.ts"
import { isRecord } from "../domain/text/is-record.ts"
import { readArguments } from "../domain/tools/arguments/read-arguments.ts"
import type { Checked } from "../domain/operator/operator-argument.ts"
import { answered, type McpContext, type ToolCall, type ToolHandler, type ToolReply } from "./mcp-context.ts"

/** Parses arguments by a schema, read as a model's if they do not match as they are. Returns the value, or what is wrong with each field. */
export const parseArguments = <T extends z.ZodType>(schema: T, args: unknown): Checked<z.infer<T>> => {
  const parsed = schema.safeParse(args ?? {})
  if (parsed.success) return { ok: true, value: parsed.data }
  const again = isRecord(args) ? schema.safeParse(readArguments(toolOfSchema(schema), args).arguments) : parsed
  if (again.success) return { ok: true, value: again.data }
  return { ok: false, problem: argumentProblem(parsed.error) }
}

/** The name matters for built-in tools only, which are not offered over MCP. */
const toolOfSchema = (schema: z.ZodType) => ({ name: "", inputSchema: z.toJSONSchema(schema, { io: "input" }) })

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
