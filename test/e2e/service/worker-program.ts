// A program that runs a worker with a tool of its own. With "client", it also starts a run with a client, and ends when that has ended.
import { appendFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { connect } from "../../../client/index.ts"
import { defineTool, runWorker } from "../../../service/index.ts"

const signTool = defineTool({
  name: "Sign",
  description: "Notes which process runs it.",
  input: z.strictObject({}),
  readOnly: true,
  idempotent: true,
  execute: async (_, { cwd }) => {
    await appendFile(path.join(cwd, "signed"), `${process.pid}\n`)
    return { content: "Signed." }
  },
})

const client = process.argv[2] === "client" ? await connect({ trust: true }) : undefined
const worker = await runWorker({ tools: [signTool], trust: true })
process.once("SIGTERM", () => void worker.stop())
process.stderr.write("program ready\n")
if (client !== undefined) {
  const { sessionId } = await client.start({ prompt: "hi", model: "plain", cwd: process.cwd() })
  const document = await client.wait(sessionId)
  await worker.stop()
  await client.close()
  process.stdout.write(`${document?.outcome}\n`)
}
await worker.stopped
