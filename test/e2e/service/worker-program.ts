// A program that runs a worker with a tool of its own. With "client" or "client-first", it also starts a run with a client, after its worker or before it,
// and ends when the run has ended.
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

const start = async () => {
  const client = await connect({ trust: true })
  const { sessionId } = await client.start({ prompt: "hi", model: "plain", cwd: process.cwd() })
  return { client, sessionId }
}

const mode = process.argv[2]
const first = mode === "client-first" ? await start() : undefined
const worker = await runWorker({ tools: [signTool], trust: true })
process.once("SIGTERM", () => void worker.stop())
process.stderr.write("program ready\n")
const started = first ?? (mode === "client" ? await start() : undefined)
if (started !== undefined) {
  const document = await started.client.wait(started.sessionId)
  await worker.stop()
  await started.client.close()
  process.stdout.write(`${document?.outcome}\n`)
}
await worker.stopped
