import type { DestinationAt, NotifyDestination } from "../../contracts/config/notify.ts"
import { assertNever } from "../assert-never.ts"

/** A destination whose service shows messages. A webhook gets them as data. */
export type MessageDestination = Exclude<NotifyDestination, DestinationAt<"webhook">>

/** Returns the environment variable with the secret of a destination; empty if it has none. */
export const secretEnvOf = (destination: NotifyDestination): string => {
  switch (destination.type) {
    case "webhook":
      return destination.secretEnv
    case "email":
      return destination.smtpUrlEnv
    case "ntfy":
    case "slack":
    case "telegram":
    case "github":
      return destination.tokenEnv ?? ""
    default:
      return assertNever(destination)
  }
}

/** Returns the address that a destination is shown by. */
export const destinationAddress = (destination: NotifyDestination): string => {
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
    case "email":
      return `mailto://${destination.to[0]?.split("@").at(-1) ?? ""}`
    default:
      return assertNever(destination)
  }
}
