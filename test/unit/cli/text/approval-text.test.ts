import { expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import { approvalText } from "../../../../cli/text/approval-text.ts"
import type { NewPausedCall } from "../../../../store/schema/pause-table.ts"
import { clientFixture, request } from "../../client/client-fixture.ts"
import { stubDirectory, stubEnvironment } from "../stub-environment.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"

// They named neither the store nor the server.
const place = ["--data-dir", "my data", "--config", "ci.yaml"]

it.each(["tool_approval_required", "input_required"] as const)(
  "the commands of the list of approvals find the task again: %s",
  async (type) => {
    const approval = {
      ...{
        session_id: "abc123",
        session_key: "k",
        root_session_id: "abc123",
        run_id: "run_1",
        checkpoint_id: "cp_one",
        agent: "general",
      },
      ...{ title: null, type, message: "May I?", opened_at: "2026-11-21T10:00:00.000Z" },
      pending: type === "input_required" ? [] : [pendingCall({ id: "call_1", name: "Write", arguments: {} })],
    }
    const { environment, written } = stubEnvironment({
      client: { approvals: async () => ({ items: [approval], next_cursor: null }) },
      cwd: stubDirectory,
    })
    await runCli(["approvals", ...place], environment)
    const commands = written.stdout.split("\n").filter((line) => line.includes("adjutant run -c cp_one"))
    expect(commands).toHaveLength(type === "input_required" ? 1 : 2)
    for (const command of commands)
      expect(command.endsWith(` --config ${stubDirectory}/ci.yaml --data-dir '${stubDirectory}/my data'`)).toBe(true)
  },
)

const approvalsOf = async (calls: readonly NewPausedCall[]) => {
  const { client, pause } = await clientFixture()
  const { sessionId } = await client.start(request)
  await pause(sessionId, { calls })
  const { items } = await client.approvals({})
  return { printed: items.map((item) => approvalText(item, { now: 0 })).join("\n"), client, sessionId }
}

const call = { id: "call_1", name: "Bash", arguments: { command: "ls" } }
const unseen = { id: "call_2", name: "Write", arguments: { file_path: ".envrc", content: "x" }, isProtected: true }
const preview = { summary: "Write .envrc (new file, +1 −0)", flags: [], protected_path: ".envrc" }

// They offered to approve all calls where one changes a protected file, which is refused.
it("the commands name a call that an approval of all calls does not include", async () => {
  expect((await approvalsOf([call, { ...unseen, preview }])).printed).toMatch(
    /Approve: {2}adjutant run -c \S+ --approve-all --approve call_2\n/,
  )
})

// They went by the preview, which does not say so where it could not be made.
it("the commands go by the rule of the server, whatever a preview says", async () => {
  const { printed: shown, client, sessionId } = await approvalsOf([{ ...call, preview }, unseen])
  expect(shown).toContain(" --approve-all --approve call_2\n")
  expect(await client.outcome(sessionId)).toMatchObject({
    outcome: "paused",
    pause_reason: { pending_tool_calls: [{ id: "call_1" }, { id: "call_2", protected: true }] },
    resume_hint: expect.stringMatching(/ --approve-all --approve call_2$/),
  })
})
