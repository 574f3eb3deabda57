import { describe, expect, it } from "vitest"
import { notifySchema } from "../../../../contracts/config/notify.ts"
import type { StoredNotice } from "../../../../domain/notify/notice.ts"
import { examineDestination } from "../../../../sessions/notify/examine-destination.ts"
import { sendEmail } from "../../../../sessions/notify/send/send-email.ts"
import { refusal, startMailServer } from "../../../helpers/http/mail-server.ts"

const destination = notifySchema.parse({
  type: "email",
  smtpUrlEnv: "SMTP",
  from: "adjutant@example.com",
  to: ["ana@example.com", "ben@example.com"],
})
if (destination.type !== "email") throw new Error("not an e-mail")

const notice: StoredNotice["notice"] = {
  kind: "approval",
  title: "general (abc) asks to approve Write",
  task: { id: "abc", agent: "general" },
  calls: [{ id: "c1", summary: "Write: a.txt", text: "+zeile mit ü\n+.", flags: ["protected file"] }],
  how: "To decide: adjutant run -c cp_1 --approve c1",
  url: "https://adjutant.example.org/v1/approvals/word",
}
const stored: StoredNotice = { name: "mail", destination, notice }

const send = (url: string, sending: object = {}) =>
  sendEmail({ stored, destination, sending: { key: "dlv_1", secret: url, ...sending } }, AbortSignal.timeout(20_000))

describe("an e-mail", () => {
  it("says what is asked and how to decide, has the same id with each try, and is a reply within its task", async () => {
    const { url, mails } = await startMailServer()
    const receipt = "<dlv_1@example.com>"
    expect(await send(url)).toEqual({ kind: "delivered", receipt })
    expect(await send(url, { thread: receipt })).toMatchObject({ kind: "delivered", receipt })
    const [first, second] = mails
    expect(first).toMatchObject({ from: "adjutant@example.com", to: ["ana@example.com", "ben@example.com"] })
    expect(first?.headers.get("subject")).toBe("general (abc) asks to approve Write")
    expect(first?.headers.get("auto-submitted")).toBe("auto-generated")
    for (const part of ["+zeile mit ü\n+.", "! protected file", "adjutant run -c cp_1", notice.url])
      expect(first?.text).toContain(part)
    expect([first, second].map((mail) => mail?.headers.get("message-id"))).toEqual([receipt, receipt])
    expect([first, second].map((mail) => mail?.headers.get("in-reply-to"))).toEqual([undefined, receipt])
  })

  it("is not sent with a refused password, which is said without it", async () => {
    const { url, mails } = await startMailServer()
    const wrong = url.replace("pass%20word", "s3cr3t")
    const answer = await send(wrong)
    expect(answer).toEqual({
      kind: "permanent",
      reason: "the mail server answered 535 5.7.8 Authentication credentials invalid",
    })
    expect(mails).toEqual([])
    expect(await examineDestination(destination, { SMTP: wrong })).toBe(
      "the mail server answered 535 5.7.8 Authentication credentials invalid",
    )
    expect(await examineDestination(destination, { SMTP: url })).toBeUndefined()
    expect(await examineDestination(destination, { SMTP: "mail.example.com" })).toContain("must be as in smtps://")
  })

  it("is tried again after greylisting, only for those who do not have it, and never after a refusal for good", async () => {
    const { url, mails, refuse } = await startMailServer()
    refuse.push({ at: "rcpt", of: "ben@example.com", error: refusal(451, "4.7.1 Greylisted, try again later") })
    const reached = ["ana@example.com"]
    expect(await send(url)).toEqual({
      kind: "again",
      reason: "the mail server answered 451 4.7.1 Greylisted, try again later",
      reached,
    })
    expect(await send(url, { reached })).toMatchObject({ kind: "delivered" })
    expect(mails.map(({ to }) => to)).toEqual([reached, ["ben@example.com"]])
    refuse.push({ at: "data", error: refusal(554, "5.7.1 Message rejected as spam") })
    expect(await send(url)).toEqual({
      kind: "permanent",
      reason: "the mail server answered 554 5.7.1 Message rejected as spam",
    })
    expect(mails).toHaveLength(2)
  })

  it("rejects if the mail server cannot be reached", async () => {
    await expect(send("smtp://127.0.0.1:1")).rejects.toMatchObject({ cause: { code: expect.any(String) } })
  })
})
