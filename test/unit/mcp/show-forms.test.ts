import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { expect, it, onTestFinished } from "vitest"
import { createMcpServer } from "../../../mcp/create-mcp-server.ts"
import { openedEngine } from "../../../mcp/engine-access.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { spawnAs } from "./connect-as.ts"
import { clientFixture, loaded } from "../client/client-fixture.ts"

const caller = "stdio:default:/srv/project"
const calls = [{ id: "call_1", name: "Bash", arguments: { command: "ls" } }]

/** A form that a client shows. */
interface Form {
  readonly message: string
  /** What the form asks for. */
  readonly fields: string
  /** Set when the server withdrew it. */
  isWithdrawn: boolean
  readonly answer: (content: Record<string, unknown>) => void
  readonly fail: () => void
}

/** Connects a client of an older revision, whose person answers when the test says so. */
const open = async () => {
  const fixture = await clientFixture()
  const { client, store } = fixture
  const server = createMcpServer({
    engine: openedEngine({ client, store }),
    loaded,
    toolsets: ["tasks", "sessions"],
    noApprove: false,
    logger: { warn: () => undefined, error: () => undefined },
    caller,
  })
  const mcp = new Client({ name: "coder", version: "1" }, { capabilities: { elicitation: { form: {} } } })
  const forms: Form[] = []
  mcp.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ action: "accept"; content: Record<string, string> }>()
    const form: Form = {
      message: params.message,
      fields: JSON.stringify(params),
      isWithdrawn: false,
      answer: (content) => resolve({ action: "accept", content: content as Record<string, string> }),
      fail: () => reject(new Error("the window was closed")),
    }
    forms.push(form)
    mcpReq.signal.addEventListener("abort", () => {
      form.isWithdrawn = true
      reject(new Error("withdrawn"))
    })
    return await promise
  })
  const [own, other] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(other), mcp.connect(own)])
  onTestFinished(async () => {
    await mcp.close()
    await server.close()
  })
  const id = await spawnAs(fixture, caller, "helper")
  const { checkpointId } = await fixture.pause(id, { calls })
  const wait = async () => {
    const { content } = await mcp.callTool({ name: "wait_for_tasks", arguments: { task_ids: id } })
    return JSON.stringify(content)
  }
  const shown = (count: number) => untilPasses(() => expect(forms).toHaveLength(count))
  const decisions = async () =>
    (await store.audit.list({ sessionId: id })).filter(({ action }) => action.startsWith("decide"))
  /** Decides the call as a person at the command line. */
  const decideElsewhere = () =>
    client.decide({
      ...{ sessionId: id, checkpointId, decisions: { call_1: { action: "accept" } }, unlisted: "pending" },
      actor: { by: "ana", via: "cli" },
    })
  /** Ends the pause and the run, as the workflow does after a decision. */
  const end = async () => {
    await store.pauses.close(id, checkpointId)
    await fixture.finish(id, "completed")
  }
  return { forms, wait, shown, decisions, decideElsewhere, end }
}

it("withdraws a form when its call is decided elsewhere, and the wait continues", async () => {
  const { wait, shown, forms, decideElsewhere, end, decisions } = await open()
  const waited = wait()
  await shown(1)
  expect(forms[0]?.message).toContain("Bash")
  // Some clients show little of the message.
  expect(forms[0]?.fields).toMatch(/"title":"Decision","description":"Bash[^"]*ls/)
  await decideElsewhere()
  await end()
  expect(await waited).toContain("completed")
  await untilPasses(() => expect(forms[0]?.isWithdrawn).toBe(true))
  expect(forms).toHaveLength(1)
  expect(await decisions()).toMatchObject([{ action: "decide", by: "ana" }])
})

it("shows one form for a call that two waits of a client ask about", async () => {
  const { wait, shown, forms, end, decisions } = await open()
  const waits = [wait(), wait()]
  await shown(1)
  forms[0]?.answer({ decision: "reject", reason: "not now" })
  await untilPasses(async () => expect(await decisions()).toHaveLength(1))
  await end()
  for (const waited of waits) expect(await waited).toContain("completed")
  expect(forms).toHaveLength(1)
  expect(await decisions()).toMatchObject([
    { action: "decide", kind: "person", detail: { decisions: { call_1: "reject" } } },
  ])
})

it("a form that the client cannot show decides nothing and is not shown again in the call", async () => {
  const { wait, shown, forms, decisions } = await open()
  const waited = wait()
  await shown(1)
  forms[0]?.fail()
  expect(await waited).toContain("was not answered, which decides nothing")
  expect(forms).toHaveLength(1)
  expect(await decisions()).toEqual([])
})
