import swagger from "@fastify/swagger"
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify"
import { jsonSchemaTransform, type ZodTypeProvider } from "fastify-type-provider-zod"
import type { z } from "zod"
import { httpErrorSchema } from "../contracts/http/http-error.ts"
import type { Access } from "./security/access.ts"

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

/** Returns the options of a documented route: its group, summary, access, inputs and answers. */
export const routeOf = <Input extends RouteInput, Answers extends Readonly<Record<number, object>>>(
  tag: string,
  summary: string,
  { access, answers, ...input }: Input & { readonly access: Access; readonly answers: Answers },
) => ({
  config: { access },
  schema: {
    summary,
    tags: [tag],
    ...(access === "signed" ? { security: [] } : {}),
    ...input,
    response: { ...answers, ...refusals },
  },
})

/** Adds the OpenAPI document. It contains the routes that are added afterwards. */
export const addOpenApi = async (app: FastifyInstance, needsToken: boolean): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Adjutant",
        description: "Start, follow, steer and approve durable LLM sub-agents.",
        version: "1",
      },
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      ...(needsToken ? { security: [{ token: [] }] } : {}),
    },
    transform: jsonSchemaTransform,
  })
}

export const addOpenApiRoute = (app: FastifyInstance): void => {
  app.get("/openapi.json", { config: { access: "public" }, schema: { hide: true } }, async () => app.swagger())
}
