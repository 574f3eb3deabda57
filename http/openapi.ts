import swagger from "@fastify/swagger"
import type { FastifyInstance } from "fastify"
import { jsonSchemaTransform } from "fastify-type-provider-zod"
import { httpErrorSchema } from "../contracts/http/http-error.ts"

/** Answers that every route may give. */
export const refusals = { "4xx": httpErrorSchema, "5xx": httpErrorSchema } as const

/** Collects the routes that are added after it. */
export const addOpenApi = async (app: FastifyInstance, needsToken: boolean): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Adjutant",
        description: "Start, watch, steer and approve durable LLM sub-agents.",
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
