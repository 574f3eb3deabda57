// Starts a run in this program, with a custom tool, and waits for its outcome. Runs offline:
//   node --conditions=adjutant-source examples/library/start-and-wait.ts        (in a checkout)
//   node start-and-wait.ts                                                      (with the package installed)
import { connect } from "adjutant"
import { defineTool, runWorker } from "adjutant/worker"
import { z } from "zod"

const here = import.meta.dirname
const place = { cwd: here, configPath: `${here}/adjutant.config.yaml` }

const rollDice = defineTool({
  name: "RollDice",
  description: "Rolls a die with the given number of sides.",
  input: z.strictObject({ sides: z.number().int().min(2).max(100) }),
  readOnly: true,
  idempotent: true,
  execute: async ({ sides }) => ({ content: `It shows ${1 + Math.floor(Math.random() * sides)}.` }),
})

const client = await connect({ ...place, customTools: ["RollDice"] })
const worker = await runWorker({ ...place, tools: [rollDice] })
try {
  const { sessionId } = await client.start({ prompt: "Roll a die for me.", allowed_tools: ["RollDice"], cwd: here })
  console.log(await client.wait(sessionId))
} finally {
  await worker.stop()
  await client.close()
}
