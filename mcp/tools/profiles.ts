import type { z } from "zod"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { Agent } from "../../contracts/http/agents.ts"
import {
  profilesCreateInputSchema,
  profilesDeleteInputSchema,
  profilesListInputSchema,
  profilesUpdateInputSchema,
} from "../../contracts/delegation/profile-tools.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { parseArguments } from "../../sessions/delegation-tools/define-tool.ts"
import {
  answered,
  type McpContext,
  type McpSettings,
  type ClientToolCall,
  type McpToolHandler,
} from "../mcp-context.ts"

/** Returns whether a client gets the tools that change profiles: it may do everything, and the configuration leaves profiles to the store. */
export const mayChangeProfiles = ({ loaded, toolsets, noApprove, readOnly, directories }: McpSettings): boolean =>
  toolsets.includes("profiles") &&
  loaded.config.profiles.source === "store" &&
  !noApprove &&
  !readOnly &&
  directories === "any"

const invalidArguments = (problem: string): ToolAnswer => errorResult("VALIDATION_ERROR", problem)

/** Returns a tool with checked arguments that never asks the person and never becomes a task. */
const answeringTool =
  <T extends z.ZodType>(
    schema: T,
    answer: (context: McpContext, call: ClientToolCall, input: z.infer<T>) => Promise<ToolAnswer>,
  ): McpToolHandler =>
  async (context, call) => {
    const parsed = parseArguments(schema, call.args)
    return answered(parsed.ok ? await answer(context, call, parsed.value) : invalidArguments(parsed.problem))
  }

/** Answers expected failures with their code: `PROFILE_CHANGED: …`. */
const orFailure = async (work: () => Promise<ToolAnswer>): Promise<ToolAnswer> => {
  try {
    return await work()
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    if (error.code === "invalid_argument") return invalidArguments(error.message)
    return errorResult(error.code.toUpperCase(), error.message)
  }
}

const shown = (agent: Agent): ToolAnswer => ({
  text: JSON.stringify(agent, null, 2),
  structured: { ...agent },
  isError: false,
})

const profilesListTool = answeringTool(profilesListInputSchema, ({ client }, _call, { name }) =>
  orFailure(async () => {
    if (name !== undefined) {
      const profile = await client.profiles.read(name)
      return { ...shown(profile), structured: { profiles: [profile] } }
    }
    const profiles = (await client.profiles.list()).map(({ sessions: _sessions, ...profile }) => profile)
    const lines = profiles.map(({ id, source, description }) => `- ${id} (${source}): ${description ?? ""}`.trimEnd())
    return { text: lines.join("\n"), structured: { profiles }, isError: false }
  }),
)

const profilesCreateTool = answeringTool(profilesCreateInputSchema, ({ client }, { actor }, input) =>
  orFailure(async () => shown(await client.profiles.create(input, actor))),
)

const profilesUpdateTool = answeringTool(profilesUpdateInputSchema, ({ client }, { actor }, input) =>
  orFailure(async () => shown(await client.profiles.update(input, actor))),
)

const profilesDeleteTool = answeringTool(profilesDeleteInputSchema, ({ client }, { actor }, input) =>
  orFailure(async () => {
    await client.profiles.delete(input, actor)
    return { text: `Deleted ${input.name}.`, structured: { deleted: input.name }, isError: false }
  }),
)

export const profileToolHandlers: Readonly<Record<string, McpToolHandler>> = {
  profiles_list: profilesListTool,
  profiles_create: profilesCreateTool,
  profiles_update: profilesUpdateTool,
  profiles_delete: profilesDeleteTool,
}
