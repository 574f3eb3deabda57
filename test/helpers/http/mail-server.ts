import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"
import { onTestFinished } from "vitest"

/** A message as a mail server took it. */
export interface TakenMail {
  readonly from: string
  readonly to: readonly string[]
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** Returns a refusal with the code of an SMTP answer. */
export const refusal = (code: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode: code })

const readMail = (raw: string, from: string, to: readonly string[]): TakenMail => {
  const [head = "", ...body] = raw.split("\r\n\r\n")
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n")
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      wordsOf(line.slice(line.indexOf(":") + 1).trim()),
    ]),
  )
  const text = body.join("\n\n").replaceAll("\r\n", "\n")
  const isQuoted = headers.get("content-transfer-encoding") === "quoted-printable"
  return { from, to, headers, text: isQuoted ? unquoted(text) : text }
}

/** Returns a header whose words are encoded, as it is shown. */
const wordsOf = (header: string): string =>
  header
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, word: string) => unquoted(word.replaceAll("_", " ")))

const unquoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll("=\n", "")
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8")

/** Starts a mail server with one user, `user` and `pass word`. `refuse` are the answers to the next recipients and messages. */
export const startMailServer = async () => {
  const mails: TakenMail[] = []
  const refuse: { readonly at: "rcpt" | "data" | "lost"; readonly error: Error; readonly of?: string }[] = []
  const next = (at: "rcpt" | "data" | "lost", of?: string): Error | undefined => {
    const index = refuse.findIndex((each) => each.at === at && (each.of === undefined || each.of === of))
    return index === -1 ? undefined : refuse.splice(index, 1)[0]?.error
  }
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, callback) => {
      if (username === "user" && password === "pass word") callback(null, { user: username })
      else callback(refusal(535, "5.7.8 Authentication credentials invalid"))
    },
    onRcptTo: ({ address }, _session, callback) => callback(next("rcpt", address)),
    onData: (stream, { envelope }, callback) => {
      const parts: Buffer[] = []
      stream.on("data", (part: Buffer) => parts.push(part))
      stream.on("end", () => {
        const refused = next("data")
        if (refused !== undefined) {
          callback(refused)
          return
        }
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push(readMail(Buffer.concat(parts).toString("utf8"), from, to))
        callback(next("lost"))
      })
    },
  })
  server.on("error", () => undefined)
  server.listen(0, "127.0.0.1")
  await once(server.server, "listening")
  onTestFinished(() => server.close())
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://user:pass%20word@127.0.0.1:${port}`, port, mails, refuse }
}
