import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { StartRequest } from "../../sessions/start-request.ts"

/** What a written test runs and expects. */
export interface TestFacts {
  /** First part of the names of its files. */
  readonly name: string
  readonly title: string
  /** Path of the project, relative to the test. */
  readonly project: string
  readonly texts: readonly string[]
  readonly start: Omit<StartRequest, "prompt" | "cwd">
  readonly decisions: Readonly<Record<string, CallDecision>>
  readonly finalMessage: string | null
  /** Tool and outcome of each result. */
  readonly calls: readonly (readonly [string, string])[]
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

const headOf = ({
  name,
  project,
  texts,
  start,
  decisions,
}: TestFacts): string => `// Written by "adjutant replay --as-test". The answers of the model are scripted (${name}.conversation.yaml);
// the tools run for real, in a copy of the project, with the configuration ${name}.config.yaml.
import { cp, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { connect } from "adjutant"
import type { CallDecision } from "adjutant/contracts"
import { runWorker } from "adjutant/worker"
import { expect, test } from "vitest"

const here = import.meta.dirname
const project = path.resolve(here, ${JSON.stringify(project)})
const configPath = path.join(here, ${JSON.stringify(`${name}.config.yaml`)})
const leftOut = new Set(["node_modules", ".git", ".adjutant"])
const actor = { by: "test", via: "library" }

/** The instruction, and what was sent later. */
const texts: readonly string[] = ${json(texts)}

const start = ${json(start)} as const

const accept: CallDecision = { action: "accept" }
/** Calls that were not simply approved. */
const decisions: Readonly<Record<string, CallDecision>> = ${json(decisions)}
`

const bodyOf = ({ title, finalMessage, calls }: TestFacts): string => `
test(${JSON.stringify(title)}, { timeout: 120_000 }, async () => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "adjutant-test-")))
  await cp(project, folder, { recursive: true, filter: (file) => !leftOut.has(path.basename(file)) })
  const place = { cwd: folder, configPath, dataDir: path.join(folder, ".adjutant"), trust: true }
  const client = await connect(place)
  const worker = await runWorker(place)

  /** Waits for the outcome of a run, and decides its pending calls as it was recorded. */
  const settle = async (sessionId: string) => {
    for (;;) {
      const document = await client.wait(sessionId)
      if (document?.outcome !== "paused" || document.pause_reason.type !== "tool_approval_required") return document
      const { pending } = await client.pending(sessionId)
      const decided = Object.fromEntries(pending.map(({ id }) => [id, decisions[id] ?? accept]))
      await client.decide({ sessionId, decisions: decided, unlisted: "pending", actor })
    }
  }

  try {
    const [prompt = "", ...later] = texts
    const { sessionId } = await client.start({ ...start, prompt, cwd: folder })
    let document = await settle(sessionId)
    for (const text of later) {
      await client.send({ sessionId, text, type: "message", actor })
      document = await settle(sessionId)
    }
    expect(document).toMatchObject({ outcome: "completed", final_message: ${JSON.stringify(finalMessage)} })
    const rows = await client.messages(sessionId)
    const results = rows.flatMap(({ message }) => (message.role === "tool" ? [[message.name, message.outcome]] : []))
    expect(results).toEqual(${json(calls)})
  } finally {
    await worker.stop()
    await client.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
})
`

/** Returns the source of a vitest case. It can be edited: nothing reads it back. */
export const testText = (facts: TestFacts): string => headOf(facts) + bodyOf(facts)
