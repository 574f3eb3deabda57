import { createHash } from "node:crypto"
import type { FastifyReply, FastifyRequest } from "fastify"
import { approvalTokenParamsSchema, linkDecisionBodySchema, openedLinkSchema } from "../../contracts/http/approvals.ts"
import { decisionsAnswerSchema } from "../../contracts/http/tool-decisions.ts"
import { approvalPage, outcomePage, pageStyle } from "../pages/approval-page.ts"
import { httpFailureOf } from "../answers/http-failure.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { LinkDecision, LinkHolder } from "../../sessions/decide/links/link.ts"
import { mayCall } from "../security/access.ts"
import type { AccessTokens } from "../security/access-tokens.ts"
import { bearerToken, type SignatureGuard } from "../security/guard-requests.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

const styleHash = createHash("sha256").update(pageStyle).digest("base64")
const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`

const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes("text/html") === true

const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header("content-security-policy", pagePolicy)
    .header("x-robots-tag", "noindex")
    .type("text/html; charset=utf-8")
    .serializer((page: unknown) => String(page))
    .send(html)

/** Treats an empty form field as a missing one. A form with the id of a call decides that call alone. */
const formBody = (body: string): Readonly<Record<string, unknown>> => {
  const fields = Object.fromEntries([...new URLSearchParams(body)].filter(([, value]) => value !== ""))
  const { call_id: callId, token, ...decision } = fields
  if (callId === undefined) return fields
  const { content, ...accepted } = decision
  const own = decision["action"] === "accept" || content === undefined ? accepted : decision
  return { decisions: { [callId]: own }, ...(token === undefined ? {} : { token }) }
}

/** Requires the token of an approver, whose name the decision gets. @throws AdjutantError `unauthorized`, `forbidden`, `rate_limited` */
const requireHolder = (
  request: FastifyRequest,
  reply: FastifyReply,
  {
    tokens,
    guard,
    given,
  }: { readonly tokens: AccessTokens; readonly guard: SignatureGuard; readonly given: string | undefined },
): LinkHolder => {
  const token = given ?? bearerToken(request)
  const caller = token === undefined ? undefined : tokens.callerOf(token)
  if (caller === undefined) {
    guard.refused(request, reply)
    throw new AdjutantError(
      "unauthorized",
      "this link needs your token: enter it, or send authorization: Bearer <token>",
    )
  }
  if (!mayCall(caller, "approve")) throw new AdjutantError("forbidden", "this token does not have the scope approve")
  return { name: caller.name, isNamed: (name) => tokens.names.has(name) }
}

const outcomeTitles = {
  accept: "Approved",
  reject: "Rejected",
  edit: "Approved with changes",
  custom_result: "Answered",
} as const

const storedText = "The decision is stored and applied as soon as a worker is running."
const singleText = "The decision on this call is made. The agent continues when all calls are decided."

/** Returns the page that says what a decision did. */
const decidedPage = (decision: LinkDecision, isApplied: boolean): string => {
  if (!("decisions" in decision))
    return outcomePage(outcomeTitles[decision.action], isApplied ? "The agent continues." : storedText)
  const [first] = Object.values(decision.decisions)
  return outcomePage(outcomeTitles[first?.action ?? "accept"], isApplied ? singleText : storedText, true)
}

/** Adds the approval links, which carry their own authority. GET decides nothing, since link previews send it; a decision is a POST. */
export const approvalLinkRoutes = async (
  parent: ZodApp,
  { client, loaded }: HttpContext,
  access: { readonly tokens: AccessTokens; readonly guard: SignatureGuard },
): Promise<void> => {
  const isBound = loaded.config.http.linksNeedToken
  await parent.register(async (app: ZodApp) => {
    app.addHook("onRequest", async (_request, reply) => {
      // The address is the authority: no other page may learn it.
      reply.header("referrer-policy", "no-referrer")
    })
    app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
      done(null, formBody(String(body))),
    )
    app.setErrorHandler((error, request, reply) => {
      if (!wantsPage(request)) throw error
      const { status, message, isBug } = httpFailureOf(error)
      if (isBug) throw error
      return sendPage(reply.code(status), outcomePage("No decision was made", message))
    })

    app.get(
      "/v1/approvals/:token",
      routeOf("approvals", "Show the pause that a link decides", {
        access: "signed",
        params: approvalTokenParamsSchema,
        answers: { 200: openedLinkSchema },
      }),
      async (request, reply) => {
        const { approval, expiresAt, to } = await client.openLink(request.params.token)
        if (wantsPage(request)) return sendPage(reply, approvalPage({ approval, expiresAt, to }, isBound))
        return { approval: { ...approval, pending: [...approval.pending] }, expires_at: expiresAt, to }
      },
    )

    const decideRoute = routeOf("approvals", "Decide the pause of a link", {
      access: "signed",
      params: approvalTokenParamsSchema,
      body: linkDecisionBodySchema,
      answers: { 200: decisionsAnswerSchema },
    })
    app.post(
      "/v1/approvals/:token",
      { ...decideRoute, config: { ...decideRoute.config, acceptsOpaqueOrigin: true } },
      async (request, reply) => {
        const { token: given, ...decision } = request.body
        const holder = isBound ? requireHolder(request, reply, { ...access, given }) : undefined
        const { runId, state } = await client.decideByLink(request.params.token, decision, holder)
        if (!wantsPage(request)) return { run_id: runId, state }
        return sendPage(reply, decidedPage(decision, state === "applied"))
      },
    )
  })
}
