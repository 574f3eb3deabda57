import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isErrorCode } from "../../contracts/error-code.ts"
import { httpErrorSchema } from "../../contracts/http/http-error.ts"
import { withoutHttpAdvice } from "../../domain/advice/explain.ts"
import { errorMessage } from "../../domain/text/error-message.ts"

/** The deepest cause says what happened: `fetch failed` alone does not. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error

export const unreachable = (url: string, error: unknown): AdjutantError =>
  new AdjutantError(
    "server_unreachable",
    `the server ${url} cannot be reached (${errorMessage(causeOf(error))}): check its address and that it is running`,
    { cause: error },
  )

/** Returns the error of a body that no Adjutant server sends: that of a proxy, or of another program. */
const foreignAnswer = (url: string, status: number): AdjutantError =>
  new AdjutantError(
    "server_unreachable",
    `${url} answered with status ${status} and not as an Adjutant server does: check the address`,
  )

/** Returns the error of an answer: the one that the server reports, with its own code, and without the advice for a program. */
export const failureOf = (url: string, status: number, body: unknown): AdjutantError => {
  const { success, data } = httpErrorSchema.safeParse(body)
  if (!success) return foreignAnswer(url, status)
  const { code, reason } = data
  return new AdjutantError(
    isErrorCode(code) ? code : status < 500 ? "invalid_argument" : "internal_error",
    withoutHttpAdvice(data),
    { reason },
  )
}
