import type { Octokit } from "@octokit/rest"
import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import { outgoing, type OutgoingInit } from "../../../network/outgoing.ts"
import { retryAfterMs, silentLog } from "./ask-service.ts"

/** Creates a client of GitHub's REST API that tries each request once: deliveries repeat it. */
export const githubClient = async (
  { apiUrl }: DestinationAt<"github">,
  token: string,
  signal: AbortSignal,
): Promise<Octokit> => {
  const { Octokit: Client } = await import("@octokit/rest")
  const fetch = (url: string, init: OutgoingInit) => outgoing(url, { ...init, redirect: "manual", signal })
  return new Client({
    ...{ auth: token, userAgent: "adjutant", log: silentLog, request: { fetch } },
    ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }),
  })
}

/** What GitHub answered to a request that it refused. */
export interface GithubFailure {
  readonly status: number
  readonly message: string
  readonly retryAfterMs: number | undefined
}

/** Returns what GitHub answered. Throws the error itself if there was no answer. */
export const githubFailure = (error: unknown): GithubFailure => {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") throw error
  const response = "response" in error ? error.response : undefined
  if (typeof response !== "object" || response === null) throw error.cause instanceof Error ? error.cause : error
  const headers = "headers" in response && isRecord(response.headers) ? response.headers : {}
  const after = headers["retry-after"]
  const waitMs = retryAfterMs(new Headers(typeof after === "string" ? { "retry-after": after } : {}))
  return { status: error.status, message: error.message, retryAfterMs: waitMs }
}
