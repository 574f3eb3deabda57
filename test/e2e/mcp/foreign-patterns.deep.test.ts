// A pattern in the schema of an MCP tool was matched on the event loop: no request was answered, no run continued, and SIGTERM had no effect.
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { stringify } from "yaml"
import { startedRunSchema } from "../../../contracts/http/started-run.ts"
import { sessionSchema } from "../../../contracts/session/session.ts"
import { createProject } from "../cli/program.ts"
import { addressOf } from "../cli/remote-project.ts"
import { eventually } from "../../helpers/eventually.ts"
import { foreignSchemaServer } from "../../helpers/mcp/foreign-schema-server.ts"

const text = `${"a".repeat(62)}!`

test("patterns of an MCP server stop neither requests nor other sessions nor the end of the server", async () => {
  await using project = await createProject({
    main: {
      conversations: [
        {
          when: { user: "patterns" },
          turns: [
            {
              reply: {
                tool_calls: [
                  { name: "mcp__s__input", arguments: { text } },
                  { name: "mcp__s__output", arguments: {} },
                ],
              },
            },
            {
              expect: {
                tool_results: [{ name: "mcp__s__output", contains: "was not checked against the output schema" }],
              },
              reply: { text: "Checked." },
            },
          ],
        },
        { turns: [{ reply: { text: "Hello." } }] },
      ],
    },
  })
  const file = path.join(project.cwd, "foreign.yaml")
  const servers = { s: { command: process.execPath, args: ["-e", foreignSchemaServer] } }
  const models = { main: { provider: "scripted", script: path.join(project.cwd, "main.yaml") } }
  await writeFile(file, stringify({ models, mcpServers: servers }))
  const dev = project.start("--config", file, "dev", "--port", "0")
  onTestFinished(() => void dev.child.kill("SIGKILL"))
  const url = await addressOf(dev)
  const headers = { ...(await project.authorization()), "content-type": "application/json" }
  const start = async (message: string): Promise<string> => {
    // The sessions need no Bash, which a machine without a sandbox would refuse to run unasked.
    const body = JSON.stringify({ message, auto_approve: true, sandbox: "off" })
    const response = await fetch(`${url}/v1/runs`, { method: "POST", headers, body })
    return startedRunSchema.parse(await response.json()).session_id
  }
  const sessionOf = async (id: string) =>
    sessionSchema.parse(await (await fetch(`${url}/v1/sessions/${id}`, { headers })).json())

  const hostile = await start("Use the patterns.")
  const statuses: number[] = []
  const other = await start("Say hello.")
  await eventually(
    async () => {
      statuses.push((await fetch(`${url}/readyz`)).status)
      return (await sessionOf(hostile)).status === "completed"
    },
    { timeoutMs: 150_000 },
  )
  expect(statuses.length).toBeGreaterThan(10)
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await sessionOf(hostile)).toMatchObject({ final_message: "Checked." })
  await eventually(async () => (await sessionOf(other)).final_message === "Hello.")

  const again = await start("Use the patterns again.")
  await eventually(async () => (await sessionOf(again)).status === "running")
  dev.child.kill("SIGTERM")
  expect((await dev.ended).code).toBe(0)
})
