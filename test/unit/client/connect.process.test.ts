import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { connect } from "../../../client/connect.ts"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { confinesCommands } from "../../../worker/detect-sandbox.ts"
import { runWorker } from "../../../service/run-worker.ts"

let project: string
beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), "adjutant-connect-")))
})
afterEach(() => rm(project, { recursive: true, force: true }))

const programs = [
  ["connect", connect],
  ["runWorker", runWorker],
] as const

it.each(programs)("%s says what a program can do about a configuration that is not trusted", async (_name, open) => {
  await writeFile(
    join(project, "adjutant.config.yaml"),
    'hooks: { "agent:llm-before-execute": [{ command: ./check.sh }] }\n',
  )
  await expect(open({ cwd: project, env: { XDG_STATE_HOME: join(project, "state") } })).rejects.toMatchObject({
    code: "config_not_trusted",
    message: [
      'adjutant.config.yaml is not trusted: check it, then run "adjutant trust", or pass trust: true to connect or runWorker',
      'hooks["agent:llm-before-execute"][0].command: runs a program: "./check.sh"',
    ].join("\n"),
  })
})

it.each(programs)(
  "%s needs no trust in a script whose commands the sandbox of this machine confines",
  async (_name, open) => {
    const script = 'turns: [{ reply: { tool_calls: [{ name: Bash, arguments: { command: "true" } }] } }]\n'
    await writeFile(join(project, "script.yaml"), script)
    const elsewhere = 'store: { url: "postgres://127.0.0.1:1/x" }\n'
    await writeFile(
      join(project, "adjutant.config.yaml"),
      `models: { main: { provider: scripted, script: script.yaml } }\n${elsewhere}`,
    )
    const env = { ...process.env, XDG_STATE_HOME: join(project, "state"), ADJUTANT_TRUST: "" }
    const isConfined = await confinesCommands()
    const refusal = open({ cwd: project, env })
    await expect(refusal).rejects.toThrow("store.url: names a server")
    const message = await refusal.catch(errorMessage)
    expect(message).toSatisfy((text: string) => text.includes("script.yaml") !== isConfined)
  },
)
