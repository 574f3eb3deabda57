import { followSeq } from "../../domain/transcript/follow-seq.ts"
import { auditListSchema, auditQuerySchema } from "../../contracts/http/audit.ts"
import { z } from "zod"
import type { SessionTree } from "../../sessions/view/inspect-tree.ts"
import { defaultWorkspace } from "../../config/workspaces.ts"
import { sessionDiffSchema } from "../../contracts/delegation/worktree.ts"
import { mediaParamsSchema, sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import {
  createSessionBodySchema,
  listSessionsQuerySchema,
  sessionListSchema,
  searchAnswerSchema,
  searchQuerySchema,
  type SessionTreeBody,
  sessionTreeSchema,
  transcriptQuerySchema,
  transcriptSchema,
} from "../../contracts/http/sessions.ts"
import { mediaTypeSchema } from "../../contracts/message.ts"
import { sessionDetailSchema } from "../../contracts/session/session-detail.ts"
import { sessionSchema } from "../../contracts/session/session.ts"
import { usageQuerySchema, usageReportSchema } from "../../contracts/usage.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { repeatableSessionId } from "../answers/idempotency.ts"
import { ownerOf } from "../local-call.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { securityHeaders } from "../security/security-headers.ts"
import { transcriptRow } from "../../sessions/view/transcript-row.ts"

const treeBody = ({ children, ...session }: SessionTree): SessionTreeBody => ({
  ...session,
  children: children.map(treeBody),
})

const addCollectionRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client, loaded } = context
  app.post(
    "/v1/sessions",
    routeOf("sessions", "createSession", "Create a session; its first message starts a run", {
      access: "run",
      body: createSessionBodySchema,
      answers: { 201: sessionSchema },
      location: "/v1/sessions/{id}",
    }),
    async (request, reply) => {
      const { parent_session_id: parentId, cwd = defaultWorkspace(loaded), ...settings } = request.body
      const session = await client.create({
        ...settings,
        cwd,
        parentId,
        sessionId: repeatableSessionId(request),
        actor: actorOf(request, context),
        ...ownerOf(request),
      })
      return reply.code(201).send(session)
    },
  )

  app.get(
    "/v1/sessions",
    routeOf("sessions", "listSessions", "List sessions, newest first", {
      access: "read",
      querystring: listSessionsQuerySchema,
      answers: { 200: sessionListSchema },
    }),
    async ({ query }) => {
      const { parent_session_id: parent, root_session_id: root, archived, ...filter } = query
      const wanted = {
        ...filter,
        parent,
        root,
        ...(archived === undefined ? {} : { archived: archived === "true" }),
      }
      const [list, counts] = await Promise.all([client.list(wanted), client.counts(wanted)])
      return { items: [...list.items], next_cursor: list.next_cursor, counts }
    },
  )
}

const addSearchRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/search",
    routeOf(
      "sessions",
      "search",
      "Find a text in names, transcripts, calls and changed files, the newest session first",
      {
        access: "read",
        querystring: searchQuerySchema,
        answers: { 200: searchAnswerSchema },
      },
    ),
    ({ query }) => client.search(query),
  )
}

const mediaAnswer = {
  content: Object.fromEntries(
    mediaTypeSchema.options.map((type) => [type, { schema: z.unknown().meta({ type: "string", format: "binary" }) }]),
  ),
}

/**
 * A tool returned these bytes, so nobody has checked them. They are shown as the type that they have, never as a page with scripts; a PDF can contain
 * scripts, so it is downloaded.
 */
const mediaHeaders = ({
  id,
  mediaType,
}: Awaited<ReturnType<HttpContext["client"]["media"]>>): Readonly<Record<string, string>> => ({
  "content-type": mediaType,
  "content-security-policy": `${securityHeaders["content-security-policy"] ?? ""}; sandbox`,
  "content-disposition": mediaType === "application/pdf" ? `attachment; filename="${id}.pdf"` : "inline",
})

const addMediaRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/sessions/:id/media/:media_id",
    routeOf("sessions", "getMedia", "Read an image or a PDF that a tool returned", {
      access: "read",
      params: mediaParamsSchema,
      answers: { 200: mediaAnswer },
    }),
    async ({ params }, reply) => {
      const found = await client.media(params.id, params.media_id)
      return reply.headers(mediaHeaders(found)).send(Buffer.from(found.data))
    },
  )
}

const addSessionRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client } = context
  app.get(
    "/v1/sessions/:id",
    routeOf("sessions", "getSession", "Show one session", {
      access: "read",
      params: sessionParamsSchema,
      answers: { 200: sessionDetailSchema },
    }),
    ({ params }) => client.info(params.id),
  )

  app.delete(
    "/v1/sessions/:id",
    routeOf("sessions", "deleteSession", "Cancel a session and its descendants, and erase their texts", {
      access: "admin",
      params: sessionParamsSchema,
      answers: { 204: z.null() },
    }),
    async (request, reply) => {
      await client.delete(request.params.id, actorOf(request, context))
      return reply.code(204).send(null)
    },
  )
}

const addContentRoutes = (app: ZodApp, { client, redact }: HttpContext): void => {
  app.get(
    "/v1/sessions/:id/messages",
    routeOf("sessions", "listMessages", "Read a session's transcript", {
      access: "read",
      params: sessionParamsSchema,
      querystring: transcriptQuerySchema,
      answers: { 200: transcriptSchema },
    }),
    async ({ params, query }) => {
      const { limit, cursor } = query
      const rows = await client.messages(params.id, { limit: limit + 1, afterSeq: cursor ?? 0 })
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      return {
        items: page.map((row) => transcriptRow(row, redact)),
        next_cursor: rows.length > limit && last !== undefined ? String(last.seq) : null,
        follow_cursor: String(followSeq(page, cursor)),
      }
    },
  )

  app.get(
    "/v1/sessions/:id/diff",
    routeOf("sessions", "getDiff", "Read what a session changed in its worktree, as a patch", {
      access: "read",
      params: sessionParamsSchema,
      answers: { 200: sessionDiffSchema },
    }),
    ({ params }) => client.diff(params.id),
  )

  app.get(
    "/v1/sessions/:id/tree",
    routeOf("sessions", "getSessionTree", "Show a session with all its descendants", {
      access: "read",
      params: sessionParamsSchema,
      answers: { 200: sessionTreeSchema },
    }),
    async ({ params }) => treeBody(await client.tree(params.id)),
  )
}

/** Adds the routes that create, list, show and delete sessions. */
export const sessionRoutes = (app: ZodApp, context: HttpContext): void => {
  addCollectionRoutes(app, context)
  addSearchRoute(app, context)
  addSessionRoutes(app, context)
  addContentRoutes(app, context)
  addMediaRoute(app, context)
}

/** Adds the route that lists who did what. */
export const auditRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/audit",
    routeOf("audit", "listAudit", "List who did what to sessions, when and through which channel, newest first", {
      access: "admin",
      querystring: auditQuerySchema,
      answers: { 200: auditListSchema },
    }),
    async ({ query: { session_id: sessionId, ...query } }) => {
      const { items, next_cursor } = await client.audit({ ...query, sessionId })
      return { items: [...items], next_cursor }
    },
  )
}

/** Adds the route that sums what model calls used and cost. */
export const usageRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/usage",
    routeOf("usage", "getUsage", "Sum what model calls used and cost, by day, profile, model, label or caller", {
      access: "read",
      querystring: usageQuerySchema,
      answers: { 200: usageReportSchema },
    }),
    ({ query: { group_by: groupBy, ...range } }) => client.usage({ ...range, groupBy }),
  )
}
