import { systemCode } from "../../domain/text/error-message.ts"
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { plainMessage } from "../../contracts/argument-problem.ts"
import { type ErrorCode, errorTable } from "../../contracts/error-code.ts"
import type { ErrorReason } from "../../contracts/error-reason.ts"
import { explain } from "../../domain/advice/explain.ts"

/** An error as it is sent to the client. `isBug`: the server logs it. */
export interface HttpFailure {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly isBug: boolean
  readonly reason?: ErrorReason | undefined
}

const failure = (code: ErrorCode, message: string): HttpFailure => ({
  status: errorTable[code].http,
  code,
  message,
  isBug: false,
})

const parts: Readonly<Record<string, string>> = { querystring: "query", params: "path", headers: "header" }

const validationText = (error: unknown): string | undefined => {
  if (!hasZodFastifySchemaValidationErrors(error)) return undefined
  const { validation, validationContext = "body" } = error
  const part = parts[validationContext] ?? validationContext
  const texts = validation.slice(0, 5).map(({ instancePath, message }) => {
    const path = instancePath.replace(/^\//, "").replaceAll("/", ".")
    return `${path === "" ? part : `${part}.${path}`}: ${plainMessage(message ?? "invalid")}`
  })
  return texts.join("; ").slice(0, 2_000)
}

const fastifyCodes: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["payload_too_large", "the body is larger than 1 MiB; send less per request"],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "send JSON: content-type: application/json"],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["invalid_json", "the body is empty; send JSON"],
  FST_ERR_CTP_INVALID_JSON_BODY: ["invalid_json", "the body is not valid JSON"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_argument", "content-length does not match the body"],
  FST_ERR_BAD_URL: ["invalid_argument", "the path is not a valid URL path"],
  FST_ERR_MAX_LIMIT: ["invalid_argument", "a path segment is too long"],
}

const statusOf = (error: unknown): number =>
  error instanceof Error && "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500

/** Returns the answer for an error. A bug is reported without details. */
export const httpFailureOf = (error: unknown): HttpFailure => {
  if (isAdjutantError(error)) {
    const known = failure(error.code, explain(error, { kind: "http" }))
    return { ...known, isBug: error.code === "internal_error", reason: error.reason }
  }
  const invalid = validationText(error)
  if (invalid !== undefined) return failure("invalid_argument", invalid)
  const known = fastifyCodes[systemCode(error) ?? ""]
  if (known !== undefined) return failure(...known)
  const status = statusOf(error)
  if (error instanceof SyntaxError && status === 400) return failure("invalid_json", "the body is not valid JSON")
  if (status >= 400 && status < 500) return failure("invalid_argument", "the request is malformed")
  return {
    status: 500,
    code: "internal_error",
    message: "internal error; see the server's log for this request_id",
    isBug: true,
  }
}

export const tooManyRequests = (): AdjutantError =>
  new AdjutantError("rate_limited", "too many requests; wait as many seconds as the retry-after header says")
