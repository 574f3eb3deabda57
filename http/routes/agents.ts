import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { agentListSchema, agentParamsSchema, agentSchema } from "../../contracts/http/agents.ts"
import { profileNames } from "../../domain/prompts/builtin-profiles.ts"
import { describeAgent, describeAgents } from "../../domain/prompts/describe-agents.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** Adds the profiles: the list, and one with its settings. */
export const agentRoutes = (app: ZodApp, { loaded, store, redact }: HttpContext): void => {
  const { agents } = loaded.config

  app.get(
    "/v1/agents",
    routeOf("agents", "List the profiles that sessions can run as, the built-in ones first", {
      access: "read",
      answers: { 200: agentListSchema },
    }),
    async () => ({ items: [...describeAgents(agents, await store.sessions.listOpen())], next_cursor: null }),
  )

  app.get(
    "/v1/agents/:name",
    routeOf("agents", "Read one profile with its settings", {
      access: "read",
      params: agentParamsSchema,
      answers: { 200: agentSchema },
    }),
    async ({ params: { name } }) => {
      const found = describeAgent(name, agents, await store.sessions.listOpen())
      if (found !== undefined) return { ...found, profile: { ...redactTexts(found.profile, redact) } }
      throw new AdjutantError(
        "profile_not_found",
        `there is no agent ${name}${didYouMean(name, profileNames(agents))}; GET /v1/agents lists them`,
      )
    },
  )
}
