import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { connect } from "../../../client/index.ts"
import { findService } from "../../../service/ask-service.ts"
import { createProject } from "../cli/program.ts"

it("is started for a program that starts a run where no worker is running", async () => {
  await using project = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } })
  const client = await connect({ cwd: project.cwd, env: project.env, trust: true })
  try {
    expect(await findService(project.dataDir)).toBeUndefined()
    const { sessionId } = await client.start({ prompt: "hi", cwd: project.cwd })
    expect(await client.wait(sessionId)).toMatchObject({ outcome: "completed", final_message: "Hello." })
    expect((await findService(project.dataDir))?.status.kind).toBe("on-demand")
  } finally {
    await client.close()
  }
})

it("does not run the code of a program that Node was given on its command line", async () => {
  await using project = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } })
  const library = new URL("../../../client/index.ts", import.meta.url).href
  const code = `
    const { connect } = await import(${JSON.stringify(library)})
    const client = await connect({ trust: true })
    const { sessionId } = await client.start({ prompt: "hi", cwd: process.cwd() })
    console.log((await client.wait(sessionId)).final_message)
    await client.close()`
  const options = ["--input-type=module", "--eval", code]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: project.cwd, env: project.env })
  expect(stdout).toBe("Hello.\n")
})
