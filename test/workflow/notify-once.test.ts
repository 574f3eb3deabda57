import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { eventually } from "../helpers/eventually.ts"
import { refusal, startMailServer } from "../helpers/http/mail-server.ts"
import { startGithub, startNtfy, startSlack, startTelegram } from "../helpers/http/message-services.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"

let harness: Harness
const quick = { deliveryInitialMs: 10, deliveryMaxMs: 40, deliveryTimeoutMs: 30_000, deliveryAttempts: 20 }
const write = { calls: [["Write", { file_path: "a.txt", content: "line one\n" }]] } as const
const finish = { calls: [["finish", { result: "done" }]] } as const
const ana = { by: "ana", via: "cli", kind: "person", identity: { kind: "local", id: "ana" } } as const

afterEach(() => harness.close())

const start = async (destination: NonNullable<ConfigInput["notify"]>[string], env: Record<string, string>) => {
  harness = await openHarness({
    model: createFakeTurns(write, finish),
    env: { T: "xoxb-token", ...env },
    config: {
      timing: quick,
      people: { ana: { local: "ana" } },
      notify: { team: destination },
      notifyOn: { approval: ["team"] },
    },
  })
  return await harness.start({ auto_approve: false, pause_on_approval: true })
}

const delivered = (count: number) =>
  eventually(async () => {
    const { items } = await harness.client.deliveries.list()
    return items.filter(({ status }) => status === "delivered").length === count
  })
const approve = (sessionId: string) =>
  harness.client.decide({ sessionId, all: { action: "accept" }, unlisted: "pending", actor: ana })
const lookUntil = (done: () => boolean) =>
  eventually(async () => {
    await harness.client.notices.look()
    return done()
  })

describe("a message whose answer was lost", () => {
  it("is found again in Slack, where the bot may read, and is not posted a second time", async () => {
    const slack = await startSlack()
    slack.failures.push("lost")
    const id = await start({ type: "slack", tokenEnv: "T", channel: "C1", apiUrl: slack.apiUrl }, {})
    await delivered(1)
    expect(slack.messages.size).toBe(1)
    await approve(id)
    await lookUntil(() => [...slack.messages.values()][0]?.text.startsWith("Approved by ana") === true)
    expect(slack.messages.size).toBe(1)
  })

  it("is marked as repeated in Slack where the bot cannot read the channel", async () => {
    const slack = await startSlack({ scopes: "chat:write" })
    slack.failures.push("lost")
    await start({ type: "slack", tokenEnv: "T", channel: "C1", apiUrl: slack.apiUrl }, {})
    await delivered(1)
    expect([...slack.messages.values()].map(({ text }) => text.startsWith("(repeated) "))).toEqual([false, true])
  })

  it("is found again at GitHub by a mark that readers do not see", async () => {
    const github = await startGithub()
    github.failures.push("lost")
    const destination = {
      type: "github",
      tokenEnv: "T",
      repository: "acme/shop",
      issue: 7,
      apiUrl: github.url,
    } as const
    await start(destination, { T: "gh-token" })
    await delivered(1)
    expect(github.comments.size).toBe(1)
  })

  it("is marked as repeated in Telegram, which cannot be asked, and not after an answer that refused it", async () => {
    const telegram = await startTelegram()
    const limited = { status: 429, body: { ok: false, error_code: 429, parameters: { retry_after: 0 } } }
    telegram.failures.push(limited, "lost", limited)
    await start({ type: "telegram", tokenEnv: "T", chatId: 123, apiUrl: telegram.url }, { T: "tg-token" })
    await delivered(1)
    expect([...telegram.messages.values()].map(({ text }) => text.startsWith("(repeated) "))).toEqual([false, true])
    await harness.close()
    const other = await startTelegram()
    other.failures.push(limited)
    await start({ type: "telegram", tokenEnv: "T", chatId: 123, apiUrl: other.url }, { T: "tg-token" })
    await delivered(1)
    expect([...other.messages.values()].map(({ text }) => text.startsWith("(repeated) "))).toEqual([false])
  })

  it("is one notification at ntfy, by its sequence, and one mail, by its id", async () => {
    const ntfy = await startNtfy()
    ntfy.failures.push("lost")
    await start({ type: "ntfy", url: `${ntfy.url}/alerts` }, {})
    await delivered(1)
    const sequences = ntfy.published("alerts").map(({ sequence_id }) => sequence_id)
    expect([sequences.length, new Set(sequences).size]).toEqual([2, 1])
    await harness.close()
    const { url, mails, refuse } = await startMailServer()
    refuse.push({ at: "lost", error: refusal(451, "4.3.0 Try again") })
    await start({ type: "email", smtpUrlEnv: "T", from: "a@example.com", to: ["ana@example.com"] }, { T: url })
    await delivered(1)
    const ids = mails.map(({ headers }) => headers.get("message-id"))
    expect([ids.length, new Set(ids).size]).toEqual([2, 1])
  })
})

describe("a message that can no longer be replaced", () => {
  it("is followed by another one that says what became of it", async () => {
    const slack = await startSlack()
    const id = await start({ type: "slack", tokenEnv: "T", channel: "C1", apiUrl: slack.apiUrl }, {})
    await delivered(1)
    const [first = ""] = slack.messages.keys()
    slack.failures.push({ body: { ok: false, error: "edit_window_closed" } })
    await approve(id)
    await lookUntil(() => slack.messages.size === 2)
    expect([...slack.messages.values()][1]).toMatchObject({
      thread: first,
      text: expect.stringMatching(/^Approved by ana \(cli\)/),
    })
    await harness.close()
    const telegram = await startTelegram()
    const second = await start(
      { type: "telegram", tokenEnv: "T", chatId: 123, apiUrl: telegram.url },
      { T: "tg-token" },
    )
    await delivered(1)
    telegram.failures.push({ status: 400, body: { ok: false, description: "Bad Request: message can't be edited" } })
    await approve(second)
    await lookUntil(() => telegram.messages.size === 2)
    expect(telegram.messages.get(2)?.text).toMatch(/^Approved by ana \(cli\)/)
  })
})
