import { expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import { session, stubDirectory, stubEnvironment, type StubOptions } from "../stub-environment.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"

// Commands that other commands print, to be pasted, named neither the store nor the server, and the next page of a list forgot its filters.

const printed = async (argv: readonly string[], client: StubOptions["client"] = {}): Promise<string> => {
  const { environment, written } = stubEnvironment({ client, cwd: stubDirectory })
  await runCli(argv, environment)
  return written.stdout
}

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
    const shown = await printed(["approvals", ...place], {
      approvals: async () => ({ items: [approval], next_cursor: null }),
    })
    const commands = shown.split("\n").filter((line) => line.includes("adjutant run -c cp_one"))
    expect(commands).toHaveLength(type === "input_required" ? 1 : 2)
    for (const command of commands)
      expect(command.endsWith(` --config ${stubDirectory}/ci.yaml --data-dir '${stubDirectory}/my data'`)).toBe(true)
  },
)

it("the command that follows a started task finds it again", async () => {
  expect(await printed(["run", "work", "--detach", "--data-dir", "/elsewhere"])).toContain(
    "`adjutant wait abc123 --data-dir /elsewhere`",
  )
})

it("the command for the next page of a list has the filters of this one", async () => {
  const filters = ["--status", "paused", "--search", "two words", "--archived", "--limit", "1", "--parent", "p1"]
  const shown = await printed(["list", ...filters, "--cursor", "second", "--data-dir", "/elsewhere"], {
    list: async () => ({ items: [session()], next_cursor: "third" }),
  })
  expect(shown).toContain(
    "More: adjutant list --cursor third --status paused --search 'two words' --archived --limit 1 --parent p1 --data-dir /elsewhere\n",
  )
})
