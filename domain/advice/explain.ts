import type { ErrorReason } from "../../contracts/error-reason.ts"
import { advise } from "./advise.ts"
import type { Surface } from "./surface.ts"

interface Explained {
  readonly message: string
  readonly reason?: ErrorReason | undefined
}

/** Returns a text with what can be done about it. */
export const withAdvice = (message: string, advice: string | undefined): string =>
  advice === undefined ? message : `${message}: ${advice}`

/** Returns a text without the advice at its end, which was for another reader. */
export const withoutAdvice = (message: string, advice: string | undefined): string =>
  advice !== undefined && message.endsWith(`: ${advice}`) ? message.slice(0, -advice.length - 2) : message

/** Returns what a reader can do about an error; undefined if its message says it, or nothing can be done there. */
export const adviceOn = ({ reason }: Explained, surface: Surface): string | undefined =>
  reason === undefined ? undefined : advise(reason, surface)

/** Returns the message of an answer of the HTTP API without the advice for a program. */
export const withoutHttpAdvice = ({
  error,
  reason,
}: {
  readonly error: string
  readonly reason?: ErrorReason | undefined
}): string => withoutAdvice(error, adviceOn({ message: error, reason }, { kind: "http" }))

/** Returns the message of an error with what its reader can do about it. */
export const explain = (error: Explained, surface: Surface): string =>
  withAdvice(error.message, adviceOn(error, surface))
