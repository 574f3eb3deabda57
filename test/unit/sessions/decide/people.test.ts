import { describe, expect, it } from "vitest"
import type { CallDecision } from "../../../../contracts/approval/decision.ts"
import { configSchema } from "../../../../contracts/config/config.ts"
import type { Identity } from "../../../../domain/people/person.ts"
import type { Actor } from "../../../../sessions/actor.ts"
import { approvalsOfCall } from "../../../../sessions/decide/people/approvals-of-call.ts"
import { clientFixture, loaded, request } from "../../client/client-fixture.ts"

const people = {
  ana: { github: "octo-ana", local: "ana" },
  ben: { slack: "U2" },
  cleo: { token: "cleo", may: { approve: ["Bash"] } },
}
const config = configSchema.parse({ people })
const accept = { action: "accept" } as const
const rule = { approvers: ["ana", "ben"], require: 2, notOwn: true }
const by = (name: string, kind: Identity["kind"], id: string) =>
  ({ by: name, via: "http", kind: "person", identity: { kind, id } }) as const
const ana = by("octo-ana", "github", "octo-ana")
const ben = by("U2", "slack", "U2")
const cleo = by("cleo", "token", "cleo")

const deployment = async (starter: { readonly actor?: Actor } = {}, present = config) => {
  const fixture = await clientFixture({ loaded: { ...loaded, config: present } })
  const { sessionId, runId } = await fixture.client.start({ ...request, ...starter })
  const call = (id: string, name: string) => ({
    ...{ id, name, arguments: { to: "production" } },
    preview: { summary: name, flags: [] },
  })
  const covered = { ...call("call_1", "Deploy"), rule }
  const opened = await fixture.pause(sessionId, { calls: [covered, call("call_2", "Bash")] })
  fixture.temporal.onUpdate = () => ({ run_id: runId })
  const decide = (actor: object, decisions: Record<string, CallDecision> = { call_1: accept }) =>
    fixture.client.decide({ sessionId, decisions, unlisted: "pending", actor: { by: "x", via: "http", ...actor } })
  const sent = () => fixture.temporal.execution(sessionId).updates.map(({ payload }) => payload)
  const audited = async () =>
    (await fixture.store.audit.list({ sessionId }))
      .toReversed()
      .filter(({ action }) => action.startsWith("decide"))
      .map(({ action, detail: { person, decisions, code } }) => ({ action, person, decisions, code }))
  return { ...fixture, sessionId, opened, covered, decide, sent, audited }
}

describe("a call that two people must approve", () => {
  it("waits for the second one: the same person twice is one", async () => {
    const { decide, sent, audited } = await deployment()
    const first = await decide(ana)
    expect(first).toMatchObject({
      counted: ["Deploy needs approval by 2 of ana, ben (approvals in the configuration); approved so far by ana"],
    })
    expect(await decide({ ...ana, by: "Octo-Ana" })).toMatchObject({ counted: [expect.any(String)] })
    expect(sent()).toEqual([])
    expect(await decide(ben)).not.toHaveProperty("counted")
    expect(sent()).toMatchObject([{ decisions: { call_1: accept } }])
    expect(await audited()).toEqual([
      { action: "decide-counted", person: "ana", decisions: { call_1: "accept" } },
      { action: "decide-counted", person: "ben", decisions: { call_1: "accept" } },
      { action: "decide", person: "ben", decisions: { call_1: "accept" } },
    ])
  })

  it("loses neither of two approvals at the same time", async () => {
    const { decide, sent } = await deployment()
    await Promise.all([decide(ana), decide(ben)])
    expect(sent().length).toBeGreaterThan(0)
  })

  it("is ended by one rejection", async () => {
    const { decide, sent } = await deployment()
    await decide(ana)
    await decide(ben, { call_1: { action: "reject" } })
    expect(sent()).toMatchObject([{ decisions: { call_1: { action: "reject" } } }])
  })

  it("leaves the other calls of an approval of all decided", async () => {
    const { client, sessionId, sent } = await deployment()
    expect(await client.decide({ sessionId, all: accept, unlisted: "pending", actor: ana })).toMatchObject({
      counted: [expect.any(String)],
    })
    expect(sent()).toMatchObject([{ decisions: { call_2: accept }, unlisted: "pending" }])
    expect(sent()[0]).not.toHaveProperty("all")
  })

  it("starts again with other arguments: what was approved before does not count", async () => {
    const { client, decide, store, sessionId, opened, covered } = await deployment()
    await decide(ana)
    const edit = { action: "edit", arguments: { to: "staging" } } as const
    await client.decide({ sessionId, decisions: { call_1: edit }, unlisted: "pending", actor: ben })
    const facts = { sessionId, callId: "call_1", checkpointId: opened.checkpointId, rule: covered.rule }
    expect((await approvalsOfCall(store, facts)).approvedBy).toEqual(["ben"])
  })

  it.each([
    ["nobody in people", {}],
    ["the user of this process", { by: "root", via: "cli", kind: "person" }],
    ["a link that several can read", { by: "webhook", via: "link", kind: "person" }],
    ["a program with a secret", { by: "ci", via: "webhook:ci", kind: "program" }],
    ["a model with a person's token", { ...ana, via: "mcp", kind: "model" }],
    ["a person who is no approver", cleo],
  ])("is not decided by %s, which is told and audited", async (_, actor) => {
    const { decide, sent, audited } = await deployment()
    for (const action of ["accept", "reject"] as const)
      await expect(decide(actor, { call_1: { action } })).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("call_1"),
      })
    expect(sent()).toEqual([])
    expect(await audited()).toMatchObject([
      { action: "decide-refused", code: "forbidden" },
      { action: "decide-refused", code: "forbidden" },
    ])
  })

  it("is not approved by who started its run, or a run above it", async () => {
    const { decide, sessionId, sent, store, covered, opened } = await deployment({ actor: ana })
    await expect(decide(ana)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("gave this run its work"),
    })
    await decide(ben)
    expect(sent()).toEqual([])
    const facts = { sessionId, callId: "call_1", checkpointId: opened.checkpointId, rule: covered.rule }
    expect(await approvalsOfCall(store, facts)).toEqual({ approvedBy: ["ben"], startedBy: ["ana"] })
  })
})

describe("a call whose rule was changed after its pause began", () => {
  const changed = configSchema.parse({ people, approvals: [{ tools: ["Deploy", "Bash"], approvers: ["ana"] }] })

  it("is decided by the people whom the rule names now, and by nobody else", async () => {
    const { decide, sent } = await deployment({}, changed)
    const result = { action: "custom_result", content: "Deployed." } as const
    for (const [action, call] of [
      [accept, "call_1"],
      [{ action: "reject" }, "call_1"],
      [result, "call_1"],
      [accept, "call_2"],
    ] as const)
      await expect(decide(ben, { [call]: action })).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("needs approval by ana: ben is not one of them"),
      })
    expect(sent()).toEqual([])
    expect(await decide(ana)).not.toHaveProperty("counted")
    expect(sent()).toMatchObject([{ decisions: { call_1: accept } }])
  })
})

describe("what a person may decide", () => {
  it("limits them without a rule, too", async () => {
    const { client, sessionId, decide, sent, store, opened, pause } = await deployment()
    await decide(cleo, { call_2: accept })
    expect(sent()).toMatchObject([{ decisions: { call_2: accept } }])
    await store.pauses.close(sessionId, opened.checkpointId)
    const write = { id: "call_3", name: "Write", arguments: {}, preview: { summary: "Write", flags: [] } }
    await pause(sessionId, { checkpointId: "cp_later", ordinal: 1, calls: [write] })
    const all = { sessionId, all: accept, unlisted: "pending", actor: cleo } as const
    await expect(client.decide(all)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("people.cleo.may"),
    })
    expect(await client.decide({ ...all, actor: ana })).toMatchObject({ state: "applied" })
  })

  it("limits the grants and the links that they give, and what their token approves beforehand", async () => {
    const { client, sessionId, opened, finish, store } = await deployment()
    const { checkpointId } = opened
    const patterns = { Write: { file_path: "docs/**" }, Bash: { command: "ls" } }
    const grant = (tool: "Write" | "Bash", actor: Actor) =>
      client.grant({ sessionId, tool, patterns: patterns[tool], actor })
    const start = (actor: Actor, auto_approve: true | string[] = true) =>
      client.start({ ...request, auto_approve, actor })
    await finish((await start(ana)).sessionId, "completed")
    const refusal = async (asked: Promise<unknown>) => String(await asked.catch((error: unknown) => error))
    expect(await refusal(grant("Write", cleo))).toMatch(/^AdjutantError: a grant for Write .*people\.cleo\.may/)
    expect(await refusal(client.issueLink({ checkpointId, actor: cleo }))).toMatch(/^AdjutantError: a link .*may/)
    expect(await refusal(start(cleo))).toMatch(/^AdjutantError: auto_approve .*may/)
    expect(await refusal(start(cleo, ["Bash", "Write"]))).toMatch(/^AdjutantError: auto_approve for Write .*may/)
    await grant("Bash", cleo)
    await grant("Write", ana)
    await start(cleo, ["Bash"])
    await store.pauses.setCalls(sessionId, checkpointId, ["call_2"])
    expect(await client.issueLink({ checkpointId, actor: cleo })).toHaveProperty("token")
  })

  it("limits what a token approves beforehand for the next run, too", async () => {
    const { client, finish } = await clientFixture({ loaded: { ...loaded, config } })
    const { sessionId } = await client.start({ ...request, actor: ana })
    await finish(sessionId, "completed")
    const send = (auto_approve: true | string[]) =>
      client.send({ sessionId, type: "message", text: "Go on.", limits: { auto_approve }, actor: cleo })
    await expect(send(true)).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining("cleo.may") })
  })
})
