import { createHash } from "node:crypto"
import type { FastifyReply, FastifyRequest } from "fastify"
import {
  approvalTokenParamsSchema,
  linkDecisionBodySchema,
  openedLinkSchema,
  openLinkQuerySchema,
} from "../../contracts/http/approvals.ts"
import { decisionsAnswerSchema } from "../../contracts/http/tool-decisions.ts"
import { approvalPage, outcomePage, pageStyle } from "../pages/approval-page.ts"
import { linkDecisionOf, readLinkFields, type SentEdit, sentEditOf } from "../pages/link-form.ts"
import type { RefusedEdit } from "../pages/edit-form.ts"
import { decisionsAnswerOf } from "../answers/decisions-answer.ts"
import { httpFailureOf } from "../answers/http-failure.ts"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { LinkDecision, LinkedDecision, LinkHolder } from "../../sessions/pauses/links/link.ts"
import type { Sent } from "../../sessions/send-request.ts"
import { mayCall } from "../access.ts"
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
const protectedText =
  "Calls that change protected files or leave the sandbox are still pending: decide each of them by itself."

/** Returns the page that says what a decision did. */
const decidedPage = (
  decision: LinkDecision,
  { state, protectedPending: left, counted }: Sent,
  decided: readonly LinkedDecision[],
): string => {
  const isApplied = state === "applied"
  if (counted !== undefined)
    return outcomePage("Your approval counts", `The agent waits: ${counted.join("; ")}.`, {
      more: true,
      decided,
      edited: undefined,
    })
  if (!("decisions" in decision)) {
    const text = isApplied ? (left === undefined ? "The agent continues." : protectedText) : storedText
    const edited = decision.action === "edit" ? decision.arguments : undefined
    return outcomePage(outcomeTitles[decision.action], text, { edited, more: left !== undefined, decided })
  }
  const [first] = Object.values(decision.decisions)
  return outcomePage(outcomeTitles[first?.action ?? "accept"], isApplied ? singleText : storedText, {
    more: true,
    decided,
    edited: first?.action === "edit" ? first.arguments : undefined,
  })
}

interface LinkPages {
  readonly client: HttpContext["client"]
  /** Links need the token of an approver. */
  readonly isBound: boolean
}

/** Returns the page of the pause again, with the new arguments that were refused in their form; undefined if the link no longer decides their call. */
const refusedPage = async (
  { client, isBound }: LinkPages,
  params: unknown,
  refused: RefusedEdit,
): Promise<string | undefined> => {
  const parsed = approvalTokenParamsSchema.safeParse(params)
  if (!parsed.success) return undefined
  const opened = await client.openLink(parsed.data.token).catch(() => undefined)
  if (opened === undefined) return undefined
  const { pending } = opened.approval
  const isPending =
    refused.callId === undefined ? pending.length === 1 : pending.some(({ id }) => id === refused.callId)
  return isPending ? approvalPage(opened, { needsToken: isBound, refused }) : undefined
}

/** Returns who decided what on the pause of a link; nothing if the link is not valid. */
const decisionsFor = async (
  { client }: Pick<LinkPages, "client">,
  params: unknown,
): Promise<readonly LinkedDecision[]> => {
  const parsed = approvalTokenParamsSchema.safeParse(params)
  return parsed.success ? await client.decisionsOfLink(parsed.data.token).catch(() => []) : []
}

/**
 * Returns the title of the page for a failure. Only a POST tried to decide: the page after a GET does not say that no decision was made, because one may
 * have been.
 */
const failureTitle = ({ method }: FastifyRequest, error: unknown): string => {
  if (method === "POST") return "No decision was made"
  return isAdjutantError(error) && error.code === "checkpoint_stale"
    ? "Nothing is left to decide"
    : "This link cannot be used"
}

/** Messages of errors begin with a small letter and have no full stop. */
const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

/** Lets the routes read the forms of the page, and answers a refusal with a page. If new arguments were refused, their form shows them again. */
const addLinkForms = (app: ZodApp, pages: LinkPages): void => {
  const edits = new WeakMap<FastifyRequest, SentEdit>()
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    async (request: FastifyRequest, body: string | Buffer) => {
      const fields = readLinkFields(String(body))
      const edit = sentEditOf(fields)
      if (edit !== undefined) edits.set(request, edit)
      return linkDecisionOf(fields)
    },
  )
  app.setErrorHandler(async (error, request, reply) => {
    if (!wantsPage(request)) throw error
    const { status, message, isBug } = httpFailureOf(error)
    if (isBug) throw error
    const edit = edits.get(request)
    const again =
      edit === undefined ? undefined : await refusedPage(pages, request.params, { ...edit, problem: message })
    if (again !== undefined) return sendPage(reply.code(status), again)
    const decided = await decisionsFor(pages, request.params)
    return sendPage(reply.code(status), outcomePage(failureTitle(request, error), sentence(message), { decided }))
  })
}

/**
 * Adds the approval links: the link itself is the authority. A GET decides nothing, because mail and chat programs open links for a preview; a POST decides.
 */
export const approvalLinkRoutes = async (
  parent: ZodApp,
  { client, loaded }: HttpContext,
  access: { readonly tokens: AccessTokens; readonly guard: SignatureGuard },
): Promise<void> => {
  const isBound = loaded.config.http.linksNeedToken
  await parent.register(async (app: ZodApp) => {
    app.addHook("onRequest", async (_request, reply) => {
      // Without this, a browser would tell the address, which is the authority, to the next page.
      reply.header("referrer-policy", "no-referrer")
    })
    addLinkForms(app, { client, isBound })

    app.get(
      "/v1/approvals/:token",
      routeOf("approvals", "getApprovalLink", "Show the pause that a link decides", {
        access: "signed",
        params: approvalTokenParamsSchema,
        querystring: openLinkQuerySchema,
        answers: { 200: openedLinkSchema },
      }),
      async (request, reply) => {
        const isWhole = request.query.whole === "true"
        const opened = await client.openLink(request.params.token, { isWhole })
        if (wantsPage(request)) return sendPage(reply, approvalPage(opened, { needsToken: isBound, isWhole }))
        const { approval, expiresAt, to } = opened
        return { approval: { ...approval, pending: [...approval.pending] }, expires_at: expiresAt, to }
      },
    )

    const decideRoute = routeOf("approvals", "decideByApprovalLink", "Decide the pause of a link", {
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
        const sent = await client.decideByLink(request.params.token, decision, holder)
        if (!wantsPage(request)) return decisionsAnswerOf(sent)
        return sendPage(reply, decidedPage(decision, sent, await decisionsFor({ client }, request.params)))
      },
    )
  })
}
