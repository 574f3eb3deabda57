import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { eventually } from "../helpers/eventually.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { startGithub, startNtfy, startSlack, startTelegram } from "../helpers/http/message-services.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"

let harness: Harness
const quick = { deliveryInitialMs: 10, deliveryMaxMs: 40, deliveryTimeoutMs: 30_000, deliveryAttempts: 20 }
const finish = { calls: [["finish", { result: "done" }]] } as const
const write = {
  calls: [["Write", { file_path: "a.txt", content: "line one\nthe secret is s3cr3t-value\n" }]],
} as const
const env = { NTFY: "ntfy-token", SLACK: "xoxb-token", TG: "tg-token", GH: "gh-token", K: "s3cr3t-value" }
const people = { ana: { local: "ana", telegram: 55 }, ben: { local: "ben" } }
const ana = { by: "ana", via: "cli", kind: "person", identity: { kind: "local", id: "ana" } } as const

afterEach(() => harness.close())

const start = async (config: ConfigInput): Promise<string> => {
  harness = await openHarness({
    model: createFakeTurns(write, finish),
    env,
    config: { people, timing: quick, mcpServers: { x: { command: "true", envFrom: { K: "K" } } }, ...config },
  })
  return await harness.start({ auto_approve: false, pause_on_approval: true })
}

const deliveries = async (status: string) =>
  (await harness.client.deliveries.list()).items.filter((item) => item.status === status)
const delivered = (count: number) => eventually(async () => (await deliveries("delivered")).length === count)
const written = () => readFile(join(harness.cwd, "a.txt"), "utf8").catch(() => undefined)
const lookUntil = (done: () => Promise<boolean> | boolean) =>
  eventually(async () => {
    await harness.client.notices.look()
    return done()
  })

describe("ntfy", () => {
  const phone = (url: string): ConfigInput => ({
    notify: { phone: { type: "ntfy", url: `${url}/alerts`, tokenEnv: "NTFY", person: "ana" } },
    notifyOn: { approval: ["phone"] },
    approvals: [{ tools: ["Write"], approvers: ["ana"] }],
  })

  it("shows what is asked, and a tap on the phone approves it once, also when the server could not be reached from outside", async () => {
    const ntfy = await startNtfy()
    ntfy.failures.push({ status: 429, headers: { "retry-after": "0" }, body: { error: "limit reached" } })
    const id = await start(phone(ntfy.url))
    await delivered(1)
    const [refused, message, ...more] = ntfy.published("alerts")
    expect([message.sequence_id, more]).toEqual([refused.sequence_id, []])
    expect(message).toMatchObject({
      title: expect.stringMatching(/^general \(\w+\).* asks to approve Write$/),
      message: expect.stringContaining("+line one"),
      priority: 4,
    })
    expect(message.message).toContain("To decide: adjutant run -c cp_")
    expect(message.message).toContain("approval by ana")
    expect(message.message).not.toContain("s3cr3t-value")
    expect(message.message).not.toContain("ntfy-token")
    await ntfy.press(message, "Approve")
    await ntfy.press(message, "Approve")
    await lookUntil(async () => (await harness.client.info(id)).status === "completed")
    expect(await written()).toContain("line one")
    const decided = (await harness.client.audit({ sessionId: id })).items.filter(({ action }) => action === "decide")
    expect(decided).toMatchObject([{ by: "ana", via: "link", detail: { person: "ana" } }])
    await lookUntil(() => ntfy.published("alerts").some(({ title }) => title.startsWith("Approved by ana (link)")))
    expect(ntfy.published("alerts").at(-1)).toMatchObject({ sequence_id: message.sequence_id })
    expect(ntfy.published("alerts").at(-1)).not.toHaveProperty("actions")
  })

  it("publishes nothing that decides to a topic that several people read, and refuses a false word", async () => {
    const ntfy = await startNtfy()
    const id = await start({
      notify: { team: { type: "ntfy", url: `${ntfy.url}/team` } },
      notifyOn: { approval: ["team"] },
    })
    await delivered(1)
    expect(JSON.stringify(ntfy.published("team"))).not.toMatch(/actions|approvals\//)
    await harness.close()
    const other = await startNtfy()
    const second = await start(phone(other.url))
    await delivered(1)
    await fetch(`${other.url}/alerts-reply`, { method: "POST", body: "accept forged-word-of-another-server" })
    await harness.client.notices.look()
    expect((await harness.client.info(second)).status).toBe("paused")
    expect(id).not.toBe(second)
  })

  it("gives up on a refused token, and says why", async () => {
    const ntfy = await startNtfy()
    ntfy.failures.push({ status: 401, body: { code: 40101, http: 401, error: "unauthorized" } })
    await start(phone(ntfy.url))
    await eventually(async () => (await deliveries("failed")).length === 1)
    expect(await deliveries("failed")).toMatchObject([{ last_error: "ntfy answered 401: unauthorized", attempts: 1 }])
  })
})

describe("Slack", () => {
  const team = (apiUrl: string): ConfigInput => ({
    inbound: { chat: { type: "slack", secretEnv: "SLACK", approvers: ["ana"] } },
    notify: { team: { type: "slack", tokenEnv: "SLACK", channel: "C1", inbound: "chat", apiUrl } },
    notifyOn: { approval: ["team"], finished: ["team"] },
  })

  it("gets one message with buttons, which is replaced after a decision elsewhere, and the result in its thread", async () => {
    const slack = await startSlack()
    slack.failures.push({ status: 429, headers: { "retry-after": "0" }, body: { ok: false, error: "ratelimited" } })
    const id = await start(team(slack.apiUrl))
    await delivered(1)
    const [[ts, message] = ["", undefined]] = [...slack.messages]
    const blocks = JSON.stringify(message?.blocks)
    expect(blocks).toContain("+line one")
    expect(blocks).not.toContain("s3cr3t-value")
    const { checkpoint_id } = await harness.client.info(id)
    expect(blocks).toContain(
      JSON.stringify(JSON.stringify({ task_id: id, checkpoint_id, action: "approve" })).slice(1, -1),
    )
    await harness.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor: ana })
    await lookUntil(async () => slack.messages.get(ts)?.text.startsWith("Approved by ana (cli)") === true)
    expect(JSON.stringify(slack.messages.get(ts)?.blocks)).not.toContain('"actions"')
    await eventually(() => slack.messages.size === 2)
    expect([...slack.messages.values()][1]).toMatchObject({ thread: ts, text: expect.stringContaining("is done") })
  })

  it.each([
    ["not_in_channel", "Slack answered not_in_channel: invite the bot to the channel"],
    ["token_revoked", "Slack answered token_revoked: the token was revoked: create another one"],
    ["missing_scope", "Slack answered missing_scope: give the app the scope chat:write, and install it again"],
  ])("refuses with %s, which the delivery says", async (error, expected) => {
    const slack = await startSlack()
    slack.failures.push({ body: { ok: false, error } })
    await start(team(slack.apiUrl))
    await eventually(async () => (await deliveries("failed")).length === 1)
    expect(await deliveries("failed")).toMatchObject([{ last_error: expected }])
  })
})

describe("Telegram", () => {
  it("takes the press of a configured person, refuses that of another one, and says so to each", async () => {
    const telegram = await startTelegram()
    telegram.failures.push({
      status: 429,
      body: { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 0 } },
    })
    const id = await start({
      notify: { chat: { type: "telegram", tokenEnv: "TG", chatId: 123, apiUrl: telegram.url } },
      notifyOn: { approval: ["chat"] },
      approvals: [{ tools: ["Write"], approvers: ["ana"] }],
    })
    await delivered(1)
    expect(telegram.messages.get(1)?.text).toContain("+line one")
    telegram.press(1, 66, "accept")
    await lookUntil(() => telegram.answers.length === 1)
    expect([telegram.answers, await written()]).toEqual([
      ["No decision was made: the Telegram user 66 is not in people."],
      undefined,
    ])
    telegram.press(1, 55, "accept")
    await lookUntil(async () => (await harness.client.info(id)).status === "completed")
    await lookUntil(() => telegram.messages.get(1)?.text.startsWith("Approved by 55 (telegram)") === true)
    expect([telegram.messages.size, telegram.answers.at(-1)]).toEqual([1, "Approved."])
  })
})

describe("GitHub", () => {
  it("gets a comment with the commands, which is replaced after the decision", async () => {
    const github = await startGithub()
    github.failures.push({
      status: 403,
      headers: { "retry-after": "0" },
      body: { message: "You have exceeded a secondary rate limit" },
    })
    const id = await start({
      notify: { pr: { type: "github", tokenEnv: "GH", repository: "acme/shop", issue: 7, apiUrl: github.url } },
      notifyOn: { approval: ["pr"] },
    })
    await delivered(1)
    const { checkpoint_id } = await harness.client.info(id)
    expect(github.comments.get(900)).toContain(`/approve ${checkpoint_id}`)
    expect(github.comments.get(900)).toContain("+line one")
    await harness.client.decide({ sessionId: id, all: { action: "reject" }, unlisted: "pending", actor: ana })
    await lookUntil(() => github.comments.get(900)?.startsWith("**Rejected by ana") === true)
    expect(github.comments.size).toBe(1)
  })
})
