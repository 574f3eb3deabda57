import { z } from "zod"
import type { SessionTree } from "../../sessions/view/session-tree.ts"
import { defaultWorkspace } from "../../config/workspaces.ts"
import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import {
  createSessionBodySchema,
  listSessionsQuerySchema,
  sessionListSchema,
  type SessionTreeBody,
  sessionTreeSchema,
  transcriptQuerySchema,
  transcriptSchema,
} from "../../contracts/http/sessions.ts"
import { sessionSchema } from "../../contracts/session.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { repeatableSessionId } from "../answers/idempotency.ts"
import { refusals } from "../openapi.ts"
import type { ZodApp } from "../zod-app.ts"
import { transcriptRow } from "../../sessions/view/transcript-row.ts"

const treeBody = ({ children, ...session }: SessionTree): SessionTreeBody => ({
  ...session,
  children: children.map(treeBody),
})

const addCreateRoute = (app: ZodApp, context: HttpContext): void => {
  const { client, loaded } = context
  app.post(
    "/v1/sessions",
    {
      config: { access: "run" },
      schema: {
        summary: "Create a session; its first message starts a run",
        tags: ["sessions"],
        body: createSessionBodySchema,
        response: { 201: sessionSchema, ...refusals },
      },
    },
    async (request, reply) => {
      const {
        title,
        cwd = defaultWorkspace(loaded),
        agent,
        model,
        parent_session_id: parentId,
        metadata,
      } = request.body
      const session = await client.create({
        title,
        cwd,
        agent,
        model,
        parentId,
        metadata,
        sessionId: repeatableSessionId(request),
        actor: actorOf(request, context),
      })
      return reply.code(201).header("location", `/v1/sessions/${session.id}`).send(session)
    },
  )
}

const addListRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/sessions",
    {
      config: { access: "read" },
      schema: {
        summary: "List sessions, newest first",
        tags: ["sessions"],
        querystring: listSessionsQuerySchema,
        response: { 200: sessionListSchema, ...refusals },
      },
    },
    async ({ query }) => {
      const { parent_session_id: parent, root_session_id: root, ...filter } = query
      const { items, next_cursor } = await client.list({ ...filter, parent, root })
      return { items: [...items], next_cursor }
    },
  )
}

const addInfoRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/sessions/:id",
    {
      config: { access: "read" },
      schema: {
        summary: "Show one session",
        tags: ["sessions"],
        params: sessionParamsSchema,
        response: { 200: sessionSchema, ...refusals },
      },
    },
    ({ params }) => client.info(params.id),
  )
}

const addDeleteRoute = (app: ZodApp, context: HttpContext): void => {
  const { client } = context
  app.delete(
    "/v1/sessions/:id",
    {
      config: { access: "admin" },
      schema: {
        summary: "Cancel a session and erase its texts, with all sessions below it",
        tags: ["sessions"],
        params: sessionParamsSchema,
        response: { 204: z.null(), ...refusals },
      },
    },
    async (request, reply) => {
      await client.delete(request.params.id, actorOf(request, context))
      return reply.code(204).send(null)
    },
  )
}

const addTranscriptRoute = (app: ZodApp, { client, redact }: HttpContext): void => {
  app.get(
    "/v1/sessions/:id/messages",
    {
      config: { access: "read" },
      schema: {
        summary: "Read a session's transcript",
        tags: ["sessions"],
        params: sessionParamsSchema,
        querystring: transcriptQuerySchema,
        response: { 200: transcriptSchema, ...refusals },
      },
    },
    async ({ params, query }) => {
      const { limit, cursor } = query
      const rows = await client.messages(params.id, { limit: limit + 1, afterSeq: cursor ?? 0 })
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map((row) => transcriptRow(row, redact)),
        next_cursor: rows.length > limit && last !== undefined ? String(last.seq) : null,
      }
    },
  )
}

const addTreeRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/sessions/:id/tree",
    {
      config: { access: "read" },
      schema: {
        summary: "Show a session with all that is below it",
        tags: ["sessions"],
        params: sessionParamsSchema,
        response: { 200: sessionTreeSchema, ...refusals },
      },
    },
    async ({ params }) => treeBody(await client.tree(params.id)),
  )
}

/** Sessions: create, list, look at, delete. */
export const sessionRoutes = (app: ZodApp, context: HttpContext): void => {
  addCreateRoute(app, context)
  addListRoute(app, context)
  addInfoRoute(app, context)
  addDeleteRoute(app, context)
  addTranscriptRoute(app, context)
  addTreeRoute(app, context)
}
