import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, it } from "vitest"
import { z } from "zod"
import { createCheckEdits } from "../../../../activities/pause/check-edits.ts"
import type { CheckEditsInput } from "../../../../activities/contract/approval-calls.ts"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type { ToolCall } from "../../../../contracts/message.ts"
import { bashInputSchema } from "../../../../contracts/tool-input.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { WorkerPolicy } from "../../../../domain/approval/worker-policy.ts"
import type { CallPreviewRow } from "../../../../store/store.ts"
import { defineTool } from "../../../../tools/tool.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"
import { assistantMessage, storeWithSession } from "../../store/store-fixture.ts"

const put = defineTool({
  name: "Put",
  description: "Puts.",
  input: z.strictObject({ file_path: z.string() }),
  idempotent: false,
  readOnly: false,
  writes: ({ file_path }) => [file_path],
  execute: async () => expect.fail("a call was made"),
})

const bash = defineTool({
  name: "Bash",
  description: "Runs.",
  input: bashInputSchema,
  idempotent: false,
  readOnly: false,
  execute: async () => expect.fail("a call was made"),
})

interface Edit {
  readonly run?: Partial<RunSnapshot>
  readonly workerPolicy?: WorkerPolicy
  readonly proposed: Omit<ToolCall, "id">
  readonly edited: Readonly<Record<string, unknown>>
  /** The call as it was proposed changes a protected path. */
  readonly wasProtected?: boolean
  /** What its approver was shown of it. */
  readonly shown?: Partial<CallPreviewRow>
  readonly hasSandbox?: boolean
}

/** Checks a call that an approver gave new arguments. Returns the verdict, and the preview that people see of it. */
const checkEdit = async ({ run, workerPolicy, proposed, edited, wasProtected = false, shown, hasSandbox }: Edit) => {
  const store = await storeWithSession()
  const message = assistantMessage("", "", [{ type: "tool_call", call: { id: "c1", ...proposed } }])
  await store.messages.put("s1", { seq: 1, runId: "r1", step: 1, fence: 1, message })
  const plain = { seq: 2, callId: "c1", preview: { summary: "", flags: [] }, watched: null }
  if (shown !== undefined) await store.callPreviews.put("s1", [{ ...plain, ...shown }])
  const deps = {
    ...{
      store,
      workerPolicy,
      tools: new Map([put, bash].map((tool) => [tool.name, tool])),
      redact: (text: string) => text,
    },
    mcp: { tools: async () => ({ tools: [], down: [], changed: [] }) },
    directoryProblem: async () => undefined,
    sandboxFor: async (mode: string) => ({ confined: hasSandbox === true && mode !== "off" }),
    protectedChange: async (_: RunSnapshot, path: string) => {
      if (path.startsWith("unreadable/")) throw new Error("too many folders")
      return path.startsWith(".") ? path : undefined
    },
    previews: { change: async () => ({ preview: { flags: [] }, watched: null }) },
    logger: { warn: () => undefined },
  } as unknown as AgentDependencies
  const snapshot: RunSnapshot = { ...baseSnapshot, tools: ["Put", "Bash"], ...run }
  const checkEdits = createCheckEdits(deps, async () => snapshot)
  const input: CheckEditsInput = {
    ...{ sessionId: "s1", runId: "r1", snapshotHash: "h", assistantSeq: 1, checkpointId: "cp_1" },
    calls: [{ id: "c1", resultSeq: 2, edit: { arguments: edited }, isProtected: wasProtected }],
  }
  const checked: Awaited<ReturnType<typeof checkEdits>> = await new MockActivityEnvironment().run(checkEdits, input)
  const [row] = await store.callPreviews.read("s1", { from: 2, to: 2 })
  return { verdict: checked[0]?.verdict, preview: row?.preview, watched: row?.watched }
}

const verdictOn = async (edit: Edit) => (await checkEdit(edit)).verdict

const putCall = (file_path: string) => ({ name: "Put", arguments: { file_path } })

it("runs a call with new arguments, since its approver named them, whatever policy asks", async () => {
  const verdict = await verdictOn({ proposed: putCall("a.md"), edited: { file_path: "b.md" } })
  expect(verdict).toMatchObject({ kind: "run", isProtected: false })
  const same = { proposed: putCall(".envrc"), edited: { file_path: ".envrc" }, wasProtected: true }
  expect(await verdictOn(same)).toMatchObject({ kind: "run", isProtected: true })
})

it("asks again, by its name, about a protected path that the approver was not shown", async () => {
  const asks = { kind: "ask", isProtected: true, reason: expect.stringContaining(".envrc") }
  expect(await verdictOn({ proposed: putCall("a.md"), edited: { file_path: ".envrc" } })).toMatchObject(asks)
  const another = { proposed: putCall(".bashrc"), edited: { file_path: ".envrc" }, wasProtected: true }
  expect(await verdictOn(another)).toMatchObject(asks)
})

it("asks again, and says so in the preview, where protected paths could not be checked", async () => {
  const { verdict, preview } = await checkEdit({ proposed: putCall("a.md"), edited: { file_path: "unreadable/b.md" } })
  const why = expect.stringContaining("too many folders")
  expect(verdict).toMatchObject({ kind: "ask", isProtected: true, reason: why })
  expect(preview?.flags).toContainEqual(why)
})

it("refuses arguments that the tool does not take, and a call that its worker never makes", async () => {
  const refuses = (reason: string) => ({ kind: "refuse", reason: expect.stringContaining(reason) })
  const misfit = { proposed: putCall("a.md"), edited: { path: "b.md" } }
  expect(await verdictOn(misfit)).toMatchObject(refuses("the arguments of Put do not fit"))
  const workerPolicy: WorkerPolicy = { sandbox: "off", policy: { Put: "never" } }
  const edit = { proposed: putCall("a.md"), edited: { file_path: "b.md" } }
  expect(await verdictOn({ ...edit, workerPolicy })).toMatchObject(refuses("never allows it"))
  expect(await verdictOn({ ...edit, run: { policy: { Put: "never" }, never: "reject" } })).toMatchObject(
    refuses("policy never allows Put"),
  )
})

it("judges a program with what it is told, like any other call", async () => {
  const execution: RunSnapshot["execution"] = {
    ...{ type: "binary", command: "sh", args: [], env: {}, timeoutMs: 1_000, idempotent: false },
  }
  const run: Partial<RunSnapshot> = { type: "binary", agent: "tool", execution }
  const told = (task: string) => ({ command: "sh", args: [], task, context: "" })
  const edit = { run, proposed: { name: "binary:tool", arguments: told("Count.") }, edited: told("Sum.") }
  expect(await verdictOn(edit)).toMatchObject({ kind: "run" })
  expect(await verdictOn({ ...edit, edited: { ...told("Sum."), command: "rm" } })).toMatchObject({ kind: "refuse" })
  const workerPolicy: WorkerPolicy = { sandbox: "off", policy: { "binary:*": "never" } }
  expect(await verdictOn({ ...edit, workerPolicy })).toMatchObject({ kind: "refuse" })
  expect(await verdictOn({ ...edit, run: { ...run, sandboxed: true } })).toMatchObject({
    reason: expect.stringContaining("may only run in a sandbox"),
  })
})

it("does not let the command of a task ask for more than its sandbox gives", async () => {
  const run: Partial<RunSnapshot> = { execution: { type: "command", timeoutMs: 1_000 } }
  const proposed = { name: "Bash", arguments: { command: "ls" } }
  const edited = { command: "ls", unconfined: true, reason: "r" }
  expect(await verdictOn({ run, proposed, edited })).toMatchObject({
    kind: "refuse",
    reason: expect.stringContaining("the command of a task cannot ask"),
  })
})

it("binds a call with new arguments to the sandbox that its approver was shown, not to the one of now", async () => {
  const shownConfined = { preview: { summary: "", flags: [], confined: true } }
  const proposed = { name: "Bash", arguments: { command: "make" } }
  const edit = { run: { approval: "policy" }, proposed, edited: { command: "make test" } } as const
  const lost = await checkEdit({ ...edit, shown: shownConfined })
  expect(lost).toMatchObject({ verdict: { kind: "run" }, preview: { confined: true } })
  const unseen = await checkEdit({ ...edit, hasSandbox: true })
  expect(unseen.preview?.confined).toBeUndefined()
  const named = { ...edit, edited: { command: "make", unconfined: true, reason: "r" }, hasSandbox: true }
  expect((await checkEdit({ ...named, shown: shownConfined })).preview).toMatchObject({ opens: "sandbox" })
  // This sandbox cannot be limited to hosts: the approver named hosts, and not the whole network.
  const hosts = { ...edit, edited: { command: "make", network: ["a.org"], reason: "r" }, hasSandbox: true }
  expect((await checkEdit({ ...hosts, shown: shownConfined })).preview).toMatchObject({
    confined: true,
    opens: "hosts",
  })
})
