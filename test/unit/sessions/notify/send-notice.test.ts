import { describe, expect, it } from "vitest"
import { notifySchema } from "../../../../contracts/config/notify.ts"
import type { StoredNotice } from "../../../../domain/notify/notice.ts"
import { sendNotice } from "../../../../sessions/notify/send/send-notice.ts"
import { startGithub, startNtfy, startSlack, startTelegram } from "../../../helpers/http/message-services.ts"

const long = "<@&`".repeat(20_000)
const call = (id: number) => ({ id: `c${id}`, summary: "Bash", text: "x".repeat(4_000), flags: ["y".repeat(4_000)] })
const notice: StoredNotice["notice"] = {
  kind: "approval",
  title: long,
  task: { id: "abc", agent: "general" },
  checkpointId: "cp_1",
  calls: Array.from({ length: 60 }, (_, id) => call(id)),
  text: long,
  how: "To decide: adjutant run -c cp_1 --approve-all",
}

type Service = Awaited<ReturnType<typeof startSlack | typeof startGithub | typeof startNtfy | typeof startTelegram>>

const services = {
  slack: async () => {
    const slack = await startSlack()
    return { service: slack, fields: { channel: "C1", apiUrl: slack.apiUrl }, secret: "xoxb-token" }
  },
  github: async () => {
    const github = await startGithub()
    return { service: github, fields: { repository: "acme/shop", issue: 7, apiUrl: github.url }, secret: "gh-token" }
  },
  telegram: async () => {
    const telegram = await startTelegram()
    return { service: telegram, fields: { chatId: 123, apiUrl: telegram.url }, secret: "tg-token" }
  },
  ntfy: async () => {
    const ntfy = await startNtfy()
    return { service: ntfy, fields: { url: `${ntfy.url}/alerts` }, secret: "" }
  },
} as const
const names = Object.keys(services) as (keyof typeof services)[]

const open = async (name: keyof typeof services) => {
  const { service, fields, secret } = await services[name]()
  const destination = notifySchema.parse({ type: name, ...(name === "ntfy" ? {} : { tokenEnv: "T" }), ...fields })
  if (destination.type === "webhook") throw new Error("not a message")
  const stored: StoredNotice = { name, destination, notice }
  const send = (more: object = {}) =>
    sendNotice({ stored, destination, sending: { key: "dlv_1", secret, ...more } }, AbortSignal.timeout(20_000))
  const failures: Service["failures"] = service.failures
  return { send, failures, requests: service.requests }
}

describe.each(names)("%s", (name) => {
  it("takes a message that is longer than its limits, with how to decide", async () => {
    const { send, requests } = await open(name)
    expect(await send()).toMatchObject({ kind: "delivered" })
    expect(requests.at(-1)?.text.replaceAll(/[+ ]|%20/g, " ")).toContain("adjutant run")
  })

  it("is asked once, and waits as long as it says", async () => {
    const { send, failures, requests } = await open(name)
    failures.push({ status: 429, headers: { "retry-after": "7" }, body: { ok: false, message: "slow down" } })
    expect(await send()).toMatchObject({ kind: "again", retryAfterMs: 7_000 })
    expect(requests).toHaveLength(1)
    failures.push({ status: 503, body: {} })
    expect(await send()).toMatchObject({ kind: "again" })
    expect(requests).toHaveLength(2)
  })

  it("rejects a call whose answer is lost, once", async () => {
    const { send, failures, requests } = await open(name)
    failures.push("lost")
    await expect(send()).rejects.toMatchObject({ cause: expect.anything() })
    expect(requests).toHaveLength(1)
  })
})

it.each(["slack", "github", "telegram"] as const)("%s refuses a token that was revoked", async (name) => {
  const { send } = await open(name)
  const answer = await send({ secret: "revoked" })
  expect(answer).toMatchObject({ kind: "permanent", reason: expect.not.stringContaining("revoked") })
})
