import type { NotifyDestination } from "../../contracts/config/notify.ts"
import { assertNever } from "../assert-never.ts"
import type { NoticeRequest, NoticeSending, StoredNotice } from "./notice.ts"
import { githubRequest } from "./services/github.ts"
import { ntfyRequest } from "./services/ntfy.ts"
import { slackRequest } from "./services/slack.ts"
import { telegramRequest } from "./services/telegram.ts"

/** Returns the request for a message to a service; undefined for one that is posted as a webhook. */
export const noticeRequest = (stored: StoredNotice, sending: NoticeSending): NoticeRequest | undefined => {
  const { destination } = stored
  switch (destination.type) {
    case "ntfy":
      return ntfyRequest(stored, destination, sending)
    case "slack":
      return slackRequest(stored, destination, sending)
    case "telegram":
      return telegramRequest(stored, destination, sending)
    case "github":
      return githubRequest(stored, destination, sending)
    case "webhook":
      return undefined
    default:
      return assertNever(destination)
  }
}

/** Returns the environment variable with the secret of a destination; empty if it has none. */
export const secretEnvOf = (destination: NotifyDestination): string =>
  destination.type === "webhook" ? destination.secretEnv : (destination.tokenEnv ?? "")

/** Returns the address that a destination is shown by. */
export const addressOf = (destination: NotifyDestination): string => {
  switch (destination.type) {
    case "ntfy":
    case "webhook":
      return destination.url
    case "slack":
      return destination.apiUrl ?? "https://slack.com/api"
    case "telegram":
      return destination.apiUrl ?? "https://api.telegram.org"
    case "github":
      return destination.apiUrl ?? "https://api.github.com"
    default:
      return assertNever(destination)
  }
}
