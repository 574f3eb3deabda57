import { z } from "zod"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { argumentProblem } from "../../contracts/argument-problem.ts"
import { DelegationRefusal, unknownName } from "../../domain/delegation/delegation-refusal.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import type { Checked } from "../../domain/checked.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import { readArguments } from "../../domain/tools/arguments/read-arguments.ts"
import { type NameUse, replyNow, type Reply, type SubAgents } from "./sub-agents.ts"

/** The name matters for built-in tools only. */
const toolOfSchema = (schema: z.ZodType) => ({ name: "", inputSchema: z.toJSONSchema(schema, { io: "input" }) })

/** Returns what a caller may have meant by keys that a tool does not have, and which it has. */
const nearKeys = (schema: z.ZodType, { issues }: z.ZodError): string => {
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
  )
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" })
  const known = Object.keys(properties)
  if (unknown.length === 0) return ""
  const near = unknown.map((key) => didYouMean(key, known)).join("")
  return near === "" ? `; its arguments are ${known.join(", ") || "none"}` : near
}

/** Parses arguments by a schema, read as a model's if they do not match as they are. Returns the value, or what is wrong with each field. */
export const parseArguments = <T extends z.ZodType>(schema: T, args: unknown): Checked<z.infer<T>> => {
  const parsed = schema.safeParse(args ?? {})
  if (parsed.success) return { ok: true, value: parsed.data }
  const again = isRecord(args) ? schema.safeParse(readArguments(toolOfSchema(schema), args).arguments) : parsed
  if (again.success) return { ok: true, value: again.data }
  return { ok: false, problem: `${argumentProblem(parsed.error)}${nearKeys(schema, parsed.error)}` }
}

/** Returns the refusal of arguments. */
export const invalid = (problem: string): DelegationRefusal => new DelegationRefusal("VALIDATION_ERROR", problem)

/** Returns the id of the sub-agent that a name means. @throws DelegationRefusal `TASK_NOT_FOUND` */
export const requireNamedSubAgent = async <Later>(
  port: SubAgents<Later>,
  name: string,
  use: NameUse,
): Promise<string> => {
  const id = await port.find(name, use)
  if (id === undefined) throw unknownName(name, port.surface)
  return id
}

/** Carries out a call of a delegation tool for any of its callers. */
export type ToolHandler = <Later>(port: SubAgents<Later>, args: unknown) => Promise<Reply<ToolAnswer, Later>>

/** Returns the answer of a call that was refused. Other errors are thrown. */
const refused = (error: unknown): ToolAnswer => {
  if (error instanceof DelegationRefusal) return errorResult(error.code, error.message, error.next)
  if (isAdjutantError(error) && error.code === "target_ambiguous") return errorResult("VALIDATION_ERROR", error.message)
  throw error
}

/** Returns the handler of a tool. Arguments that do not fit, and refusals, become answers. */
export const defineDelegationTool =
  <T extends z.ZodType>(
    schema: T,
    handle: <Later>(port: SubAgents<Later>, input: z.infer<T>) => Promise<Reply<ToolAnswer, Later>>,
  ): ToolHandler =>
  async (port, args) => {
    const parsed = parseArguments(schema, args)
    if (!parsed.ok) return replyNow(refused(invalid(parsed.problem)))
    try {
      return await handle(port, parsed.value)
    } catch (error) {
      return replyNow(refused(error))
    }
  }

/** Returns the handler of a tool that answers at once. */
export const defineAnswering = <T extends z.ZodType>(
  schema: T,
  answer: <Later>(port: SubAgents<Later>, input: z.infer<T>) => Promise<ToolAnswer>,
): ToolHandler => defineDelegationTool(schema, async (port, input) => replyNow(await answer(port, input)))
