import { z } from "zod"
import {
  agentListSchema,
  agentParamsSchema,
  agentSchema,
  type Choices,
  choicesSchema,
  createAgentBodySchema,
  deleteAgentQuerySchema,
  updateAgentBodySchema,
} from "../../contracts/http/agents.ts"
import { workspacesOf } from "../../config/workspaces.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { actorOf } from "../security/actor-of.ts"

const addReadingRoutes = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/agents",
    routeOf("agents", "listAgents", "List the profiles that sessions can run as, the built-in ones first", {
      access: "read",
      answers: { 200: agentListSchema },
    }),
    async () => ({ items: [...(await client.profiles.list())], next_cursor: null }),
  )

  app.get(
    "/v1/agents/:name",
    routeOf("agents", "getAgent", "Read one profile with its settings", {
      access: "read",
      params: agentParamsSchema,
      answers: { 200: agentSchema },
    }),
    ({ params }) => client.profiles.read(params.name),
  )
}

const addChangingRoutes = (app: ZodApp, context: HttpContext): void => {
  const { profiles } = context.client
  app.post(
    "/v1/agents",
    routeOf("agents", "createAgent", "Create a profile in the store, if `profiles.source` is `store`", {
      access: "admin",
      body: createAgentBodySchema,
      answers: { 201: agentSchema },
      location: "/v1/agents/{id}",
    }),
    async (request, reply) => {
      const agent = await profiles.create(request.body, actorOf(request, context))
      return reply.code(201).send(agent)
    },
  )

  app.put(
    "/v1/agents/:name",
    routeOf("agents", "replaceAgent", "Replace a profile of the store; runs that have started keep its settings", {
      access: "admin",
      params: agentParamsSchema,
      body: updateAgentBodySchema,
      answers: { 200: agentSchema },
    }),
    (request) => profiles.update({ name: request.params.name, ...request.body }, actorOf(request, context)),
  )

  app.delete(
    "/v1/agents/:name",
    routeOf("agents", "deleteAgent", "Delete a profile of the store; runs that have started keep its settings", {
      access: "admin",
      params: agentParamsSchema,
      querystring: deleteAgentQuerySchema,
      answers: { 204: z.null() },
    }),
    async (request, reply) => {
      await profiles.delete({ name: request.params.name, ...request.query }, actorOf(request, context))
      return reply.code(204).send(null)
    },
  )
}

const choicesOf = ({ loaded }: HttpContext): Choices => ({
  models: Object.entries(loaded.models).map(([name, { provider, model, price }]) => ({
    ...{ name, provider, model },
    input_usd: price?.inputPerMTok ?? null,
    output_usd: price?.outputPerMTok ?? null,
  })),
  workspaces: [...workspacesOf(loaded)],
})

const addChoices = (app: ZodApp, context: HttpContext): void => {
  app.get(
    "/v1/choices",
    routeOf("agents", "listChoices", "List the models and directories that a new run can name", {
      access: "read",
      answers: { 200: choicesSchema },
    }),
    () => choicesOf(context),
  )
}

/** Adds the profiles: the list, one with its settings, and changes of those in the store. */
export const agentRoutes = (app: ZodApp, context: HttpContext): void => {
  addReadingRoutes(app, context)
  addChangingRoutes(app, context)
  addChoices(app, context)
}
