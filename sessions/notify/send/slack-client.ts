import type { Logger, WebAPICallError, WebClient } from "@slack/web-api"
import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { outgoing } from "../../../network/outgoing.ts"
import { ignore, silentLog } from "./ask-service.ts"

/** Creates a client of Slack's Web API that tries each call once: deliveries repeat it. */
export const slackClient = async (
  { apiUrl }: DestinationAt<"slack">,
  token: string,
  signal: AbortSignal,
): Promise<WebClient> => {
  const slack = await import("@slack/web-api")
  const logger: Logger = {
    ...{ ...silentLog, setLevel: ignore, setName: ignore },
    getLevel: () => slack.LogLevel.ERROR,
  }
  return new slack.WebClient(token, {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    ...{ logger, allowAbsoluteUrls: false, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
    fetch: (url, { body, ...init } = {}) =>
      outgoing(url, { ...init, body: typeof body === "string" ? body : undefined, signal }),
  })
}

/** Returns the error of a call that Slack, or the way to it, refused; undefined for any other error. */
export const slackCallError = (error: unknown): WebAPICallError | undefined =>
  error instanceof Error && "code" in error && String(error.code).startsWith("slack_webapi_")
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- errors of calls are those of the package with this prefix
      (error as WebAPICallError)
    : undefined
