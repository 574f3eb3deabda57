import path from "node:path"
import { expect, it } from "vitest"
import { stringify } from "yaml"
import { writeFile } from "node:fs/promises"
import { eventually } from "../../helpers/eventually.ts"
import { startMailServer } from "../../helpers/http/mail-server.ts"
import { startNtfy, startSlack } from "../../helpers/http/message-services.ts"
import { slack as signed, slackBody, webhookEnv } from "../../helpers/http/signed-webhooks.ts"
import { finish, openStory, processesWith, untilStatus, write } from "./story.ts"

const patience = { timeoutMs: 120_000 }

it("(a) asks in Slack, where the wrong person is refused and the right one approves, and posts the result there", async () => {
  const slack = await startSlack()
  const story = await openStory(
    [write(), finish("Deployed version 1.2.")],
    {
      people: { ana: { slack: "U123" }, eve: { slack: "U666" } },
      approvals: [{ tools: ["Write"], approvers: ["ana"] }],
      inbound: { chat: { type: "slack", secretEnv: "SL", approvers: ["ana", "eve"] } },
      notify: { team: { type: "slack", tokenEnv: "SLACK", channel: "C1", inbound: "chat", apiUrl: slack.apiUrl } },
      notifyOn: { approval: ["team"], finished: ["team"] },
    },
    { SL: webhookEnv.SL, SLACK: "xoxb-token" },
  )
  const id = await story.begin()
  await eventually(() => slack.messages.size === 1, patience)
  const [[ts, message] = ["", undefined]] = [...slack.messages]
  const [button] = message === undefined ? [] : message.blocks.at(-1).elements
  const press = (user: string) => {
    const body = slackBody(JSON.parse(button.value), user, { message: { ts }, response_url: slack.replyUrl })
    return fetch(`${story.url}/v1/hooks/chat`, { method: "POST", headers: signed(body), body })
  }
  expect((await press("U666")).status).toBe(403)
  expect(slack.told).toEqual([expect.stringMatching(/^No decision was made: .*ana/)])
  expect([await story.status(id), await story.written()]).toEqual(["paused", undefined])
  expect((await press("U123")).status).toBe(200)
  await eventually(() => slack.messages.get(ts)?.text.startsWith("Approved by U123") === true, patience)
  await eventually(() => slack.messages.size === 2, patience)
  const posted = [...slack.messages.values()].at(-1)
  expect(posted).toMatchObject({ thread: ts, text: expect.stringContaining("is done") })
  expect(JSON.stringify(posted?.blocks)).toContain("Deployed version 1.2.")
  expect(await story.written()).toBe("deployed\n")
  story.tell("(a) Slack received", [...slack.messages.values()])
  story.tell("(a) Slack told the wrong person", slack.told)
  const rows = await story.audit(id)
  expect(rows.filter(({ action }) => action.startsWith("decide"))).toMatchObject([
    { action: "decide-refused", by: "U666", via: "webhook:chat" },
    { action: "decide", by: "U123", via: "webhook:chat", detail: { person: "ana" } },
  ])
})

it("(b) reviews every night, says nothing where it finds nothing, and mails why it failed", async () => {
  const mail = await startMailServer()
  const story = await openStory(
    [{ reply: { text: "Nothing found." } }],
    {
      notify: { ops: { type: "email", smtpUrlEnv: "SMTP", from: "adjutant@example.com", to: ["ops@example.com"] } },
      schedules: {
        nightly: { cron: "0 6 * * *", timezone: "Europe/Berlin", prompt: "Review it.", notify: { failed: ["ops"] } },
      },
    },
    { SMTP: mail.url },
  )
  const night = async (status: string, count: number): Promise<string> => {
    expect((await story.project.run("schedule", "trigger", "nightly")).code).toBe(0)
    const listed = async (): Promise<readonly { id: string; status: string }[]> =>
      JSON.parse((await story.project.run("list", "--output", "json")).stdout).items
    await eventually(async () => (await listed()).filter((each) => each.status === status).length === count, patience)
    return (await listed()).find((each) => each.status === status)?.id ?? ""
  }
  await night("completed", 1)
  expect(mail.mails).toEqual([])
  const fails = { turns: [{ reply: { error: { status: 400, message: "the request is malformed" } } }] }
  await writeFile(path.join(story.project.cwd, "main.yaml"), stringify(fails))
  const id = await night("failed", 1)
  await eventually(() => mail.mails.length === 1, patience)
  const [sent] = mail.mails
  expect(sent).toMatchObject({ to: ["ops@example.com"] })
  expect(sent?.headers.get("subject")).toContain("failed")
  expect(`${sent?.headers.get("subject")} ${sent?.text}`).toContain("the request is malformed")
  story.tell(
    "(b) the mail server received",
    mail.mails.map(({ headers, text }) => [...headers, text]),
  )
  expect(await story.audit(id)).toMatchObject([{ action: "start", by: "schedule:nightly", via: "schedule" }])
})

it("(c) asks on the phone, and reads the tap although the laptop was asleep meanwhile", async () => {
  const ntfy = await startNtfy()
  const story = await openStory(
    [write(), finish("Done.")],
    {
      people: { ana: { local: "nobody" } },
      approvals: [{ tools: ["Write"], approvers: ["ana"] }],
      notify: { phone: { type: "ntfy", url: `${ntfy.url}/alerts`, person: "ana" } },
      notifyOn: { approval: ["phone"] },
    },
    {},
  )
  const id = await story.begin()
  await eventually(() => ntfy.published("alerts").length === 1, patience)
  const [message] = ntfy.published("alerts")
  expect(message.message).toContain("+deployed")
  const asleep = await processesWith(path.dirname(story.project.cwd))
  // The server and Temporal.
  expect(asleep.length).toBeGreaterThanOrEqual(2)
  for (const pid of asleep) process.kill(pid, "SIGSTOP")
  const seen = ntfy.requests.length
  try {
    await ntfy.press(message, "Approve")
    // Nobody asks while the machine sleeps: only the phone has sent something.
    expect(ntfy.requests.slice(seen).map(({ method, path: at }) => [method, at])).toEqual([["POST", "/alerts-reply"]])
  } finally {
    for (const pid of asleep) process.kill(pid, "SIGCONT")
  }
  await untilStatus(story, id, "completed")
  expect(await story.written()).toBe("deployed\n")
  await eventually(() => ntfy.published("alerts").some(({ title }) => title.startsWith("Approved by ana")), patience)
  story.tell("(c) ntfy received", ntfy.published("alerts"))
  const rows = await story.audit(id)
  expect(rows.filter(({ action }) => action === "decide")).toMatchObject([
    { by: "ana", via: "link", detail: { person: "ana" } },
  ])
})

it("(d) waits for two people, of whom one twice does not count, and starts again after an edit", async () => {
  const slack = await startSlack()
  const story = await openStory(
    [write(), finish("Done.")],
    {
      people: { ana: { token: "ana" }, ben: { token: "ben" } },
      http: {
        tokens: [
          { name: "ana", tokenEnv: "ANA", scopes: ["approve", "read"] },
          { name: "ben", tokenEnv: "BEN", scopes: ["approve", "read"] },
        ],
      },
      approvals: [{ tools: ["Write"], approvers: ["ana", "ben"], require: 2 }],
      notify: { team: { type: "slack", tokenEnv: "SLACK", channel: "C1", apiUrl: slack.apiUrl } },
      notifyOn: { approval: ["team"] },
    },
    { ANA: "token-of-ana-1", BEN: "token-of-ben-1", SLACK: "xoxb-token" },
  )
  const id = await story.begin()
  await untilStatus(story, id, "paused")
  const ask = async (token: string, at: string, body?: object) => {
    const response = await fetch(`${story.url}/v1/sessions/${id}${at}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return JSON.parse(await response.text())
  }
  const decide = async (token: string, decision: object) => {
    const { checkpoint_id, pending } = await ask(token, "/tools/pending")
    return await ask(token, "/tools/decisions", { checkpoint_id, decisions: { [pending[0].id]: decision } })
  }
  const [ana, ben] = ["token-of-ana-1", "token-of-ben-1"]
  const accept = { action: "accept" }
  await decide(ana, accept)
  await decide(ana, accept)
  expect([await story.status(id), await story.written()]).toEqual(["paused", undefined])
  const before = (await ask(ana, "/tools/pending")).checkpoint_id
  await decide(ben, { action: "edit", arguments: { file_path: "out.txt", content: "edited\n" } })
  await eventually(async () => {
    const { checkpoint_id } = await ask(ana, "/tools/pending")
    return checkpoint_id !== undefined && checkpoint_id !== null && checkpoint_id !== before
  }, patience)
  await decide(ben, accept)
  expect([await story.status(id), await story.written()]).toEqual(["paused", undefined])
  await decide(ana, accept)
  await untilStatus(story, id, "completed")
  expect(await story.written()).toBe("edited\n")
  const ended = / by ana \(http\) at .*, after the approval of ben/
  await eventually(() => [...slack.messages.values()].some(({ text }) => ended.test(text)), patience)
  story.tell("(d) Slack received", [...slack.messages.values()])
  const rows = await story.audit(id)
  const decided = rows.filter(({ action }) => action.startsWith("decide"))
  expect(decided.map(({ action, by }) => `${action} ${by}`)).toEqual([
    "decide-counted ana",
    "decide ben",
    "decide-counted ben",
    "decide-counted ana",
    "decide ana",
  ])
})

it("names at the start, on the next command and in doctor that the bot is not in the channel", async () => {
  const slack = await startSlack({ isMember: false })
  const story = await openStory(
    [finish("Done.")],
    {
      notify: { team: { type: "slack", tokenEnv: "SLACK", channel: "C1", apiUrl: slack.apiUrl } },
      notifyOn: { approval: ["team"] },
    },
    { SLACK: "xoxb-token" },
  )
  const problem = "the bot is not in the channel C1: invite it"
  await story.server.stderrHas(`notify.team: ${problem}`)
  expect((await story.project.run("schedule", "list")).stderr).toContain(`notify.team: ${problem}`)
  const { items } = JSON.parse((await story.project.run("doctor", "--output", "json")).stdout)
  expect(items.find(({ name }: { name: string }) => name === "notify")).toMatchObject({
    status: "warn",
    detail: `team: ${problem}`,
  })
  expect(slack.messages.size).toBe(0)
})
