import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { bareHost, isLoopback } from "../../../domain/web/loopback-host.ts"

/**
 * Creates the way to the mail server of an address. A password leaves this machine only over TLS.
 * @throws AdjutantError `invalid_config` if the address is not one of a mail server
 */
export const mailTransport = async (smtpUrl: string, timeoutMs: number) => {
  const url = URL.parse(smtpUrl)
  if (url === null || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "")
    throw new AdjutantError(
      "invalid_config",
      "the address of the mail server must be as in smtps://user:password@mail.example.com",
    )
  const { createTransport } = await import("nodemailer")
  const host = bareHost(url.hostname)
  const decoded = (text: string) => decodeURIComponent(text)
  const port = url.port === "" ? undefined : Number(url.port)
  const hasPassword = url.username !== ""
  return createTransport({
    ...{ host, port, secure: url.protocol === "smtps:" },
    ...(hasPassword ? { auth: { user: decoded(url.username), pass: decoded(url.password) } } : {}),
    requireTLS: hasPassword && url.protocol === "smtp:" && !isLoopback(host),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs, dnsTimeout: timeoutMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
}

/** What a mail server, or the way to it, did not take. */
export interface MailFailure {
  /** The code of the answer; undefined if there was none. */
  readonly responseCode: number | undefined
  readonly code: string
  readonly text: string
}

export const mailFailure = (error: unknown): MailFailure => {
  const { responseCode, code, response }: { responseCode?: unknown; code?: unknown; response?: unknown } = Object(error)
  return {
    responseCode: typeof responseCode === "number" ? responseCode : undefined,
    code: typeof code === "string" ? code : "",
    text: typeof response === "string" ? response : "",
  }
}
