import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { notifySchema } from "../../../../contracts/config/notify.ts"
import { examineDestination } from "../../../../sessions/notify/examine-destination.ts"
import { sendSample } from "../../../../sessions/notify/send-sample.ts"
import { startNtfy } from "../../../helpers/http/message-services.ts"

type Answers = Readonly<Record<string, { readonly status?: number; readonly headers?: object; readonly body: unknown }>>

/** Starts a service that has an answer for each method of its API, and returns its address. */
const startApi = async (answers: Answers): Promise<string> => {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://api").pathname
    const answer = Object.entries(answers).find(([end]) => path.endsWith(end))?.[1] ?? { status: 404, body: {} }
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

const env = { T: "token" }
const ok = { body: { ok: true } }
const scopes = { "x-oauth-scopes": "chat:write,channels:read" }

describe("what a destination lacks", () => {
  it.each<readonly [string, object, Answers, string | undefined]>([
    [
      "slack",
      { channel: "C1" },
      { "auth.test": { body: { ok: false, error: "token_revoked" } } },
      "Slack does not accept the token (token_revoked)",
    ],
    [
      "slack",
      { channel: "C1" },
      { "auth.test": { ...ok, headers: { "x-oauth-scopes": "users:read" } } },
      "the token lacks the scope chat:write",
    ],
    [
      "slack",
      { channel: "C1" },
      {
        "auth.test": { ...ok, headers: scopes },
        "conversations.info": { body: { ok: true, channel: { is_member: false } } },
      },
      "the bot is not in the channel C1: invite it",
    ],
    [
      "slack",
      { channel: "C1" },
      {
        "auth.test": { ...ok, headers: scopes },
        "conversations.info": { body: { ok: false, error: "missing_scope" } },
      },
      undefined,
    ],
    [
      "telegram",
      { chatId: 5 },
      { getMe: { status: 401, body: { ok: false } } },
      "Telegram does not accept the token (401)",
    ],
    [
      "telegram",
      { chatId: 5 },
      { getMe: ok, getChat: { status: 400, body: { ok: false } } },
      "the bot cannot reach the chat 5: write to it there first",
    ],
    [
      "telegram",
      { chatId: 5 },
      { getMe: ok, getChat: ok, getWebhookInfo: { body: { ok: true, result: { url: "https://x" } } } },
      expect.stringContaining("the bot has a webhook"),
    ],
    [
      "slack",
      { channel: "C1" },
      {
        "auth.test": { ...ok, headers: scopes },
        "conversations.info": { body: { ok: true, channel: { is_archived: true } } },
      },
      "the channel C1 is archived: choose another one",
    ],
    [
      "github",
      { repository: "a/b", issue: 7 },
      { "/repos/a/b": { status: 401, body: {} } },
      "GitHub does not accept the token",
    ],
    [
      "github",
      { repository: "a/b", issue: 7 },
      { "/repos/a/b": { headers: { "x-oauth-scopes": "read:user" }, body: {} } },
      "the token lacks the scope repo, or public_repo for a public repository",
    ],
    [
      "github",
      { repository: "a/b", issue: 7 },
      { "/repos/a/b": { body: { archived: true } } },
      "a/b is archived: nobody can write comments there",
    ],
    [
      "github",
      { repository: "a/b", issue: 7 },
      { "/repos/a/b": { body: {} } },
      "there is no issue 7 in a/b that the token can see",
    ],
    ["github", { repository: "a/b", issue: 7 }, { "/repos/a/b": { body: {} }, "/issues/7": { body: {} } }, undefined],
  ])("of %s %j is found without sending anything", async (type, fields, answers, expected) => {
    const apiUrl = await startApi(answers)
    const destination = notifySchema.parse({ type, tokenEnv: "T", ...fields, apiUrl })
    expect(await examineDestination(destination, env)).toEqual(expected)
  })

  it("is a token that is not set, or that may not read what the buttons publish", async () => {
    const url = await startApi({ "/alerts/json": { body: {} }, "/alerts-reply/json": { status: 403, body: {} } })
    const destination = notifySchema.parse({ type: "ntfy", url: `${url}/alerts`, tokenEnv: "T", person: "ana" })
    expect(await examineDestination(destination, {})).toBe("T is not set")
    expect(await examineDestination(destination, env)).toBe(
      "ntfy does not let the token read the topic alerts-reply (403)",
    )
  })
})

describe("a sample", () => {
  it("is sent to the destination, or refused with what the service says", async () => {
    const ntfy = await startNtfy()
    const destination = notifySchema.parse({ type: "ntfy", url: `${ntfy.url}/alerts`, tokenEnv: "T" })
    await sendSample({ name: "phone", destination }, env)
    expect(ntfy.published("alerts")).toMatchObject([
      { title: "A sample of Adjutant", message: expect.stringContaining("npm test") },
    ])
    ntfy.failures.push({ status: 413, body: { error: "message too large" } })
    await expect(sendSample({ name: "phone", destination }, env)).rejects.toMatchObject({
      code: "invalid_config",
      message: "notify.phone: ntfy answered 413: message too large",
    })
  })
})
