import swagger from "@fastify/swagger"
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify"
import type { ZodTypeProvider } from "fastify-type-provider-zod"
import type { z } from "zod"
import { httpErrorSchema } from "../contracts/http/http-error.ts"
import { transform, transformObject } from "./openapi-components.ts"
import type { Access } from "./access.ts"

/** An application whose routes take the types of their parameters, queries and bodies from zod schemas. */
export type ZodApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

interface RouteInput {
  readonly params?: z.ZodType
  readonly querystring?: z.ZodType
  readonly headers?: z.ZodType
  readonly body?: z.ZodType
}

/** Answers that every route may give. */
const refusals = { "4xx": httpErrorSchema, "5xx": httpErrorSchema } as const

/** The groups of routes. */
const tags = {
  sessions: "Start tasks, read and follow them, send messages, cancel.",
  approvals: "What is pending for a person, and decisions about it.",
  agents: "The profiles that sessions run as.",
  schedules: "Tasks that start by themselves.",
  channels: "Threads of chats.",
  audit: "Who did what.",
  usage: "What model calls used and cost.",
  page: "What the web page needs.",
} as const

/** Returns the options of a documented route: its group, the name of its function in generated clients, summary, access, inputs, answers and where what it creates is. */
export const routeOf = <Input extends RouteInput, Answers extends Readonly<Record<number, object>>>(
  tag: keyof typeof tags,
  operationId: string,
  summary: string,
  {
    access,
    answers,
    location,
    ...input
  }: Input & { readonly access: Access; readonly answers: Answers; readonly location?: string },
) => ({
  config: { access, ...(location === undefined ? {} : { location }) },
  schema: {
    operationId,
    summary,
    tags: [tag],
    ...(access === "signed" ? { security: [] } : {}),
    ...input,
    response: { ...answers, ...refusals },
  },
})

/** Adds the OpenAPI document. It contains the routes that are added afterwards. */
export const addOpenApi = async (
  app: FastifyInstance,
  { needsToken, url }: { readonly needsToken: boolean; readonly url: string | undefined },
): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Adjutant",
        description: "Start, follow, steer and approve durable LLM sub-agents.",
        version: "1",
        license: { name: "Apache 2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: url ?? "/" }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      // The empty requirement makes the token optional.
      security: [{ token: [] }, ...(needsToken ? [] : [{}])],
    },
    transform,
    transformObject,
  })
}

export const addOpenApiRoute = (app: FastifyInstance): void => {
  app.get("/openapi.json", { config: { access: "public" }, schema: { hide: true } }, async () => app.swagger())
}
