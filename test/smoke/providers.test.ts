// Runs against the real providers, since fakes drift: `npm run test:smoke`, with the providers' keys in the environment. It costs some cents.
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { outcomeDocumentSchema, type OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import { type Ended, programEnv, startProgram } from "../e2e/cli/program.ts"

interface Provider {
  readonly name: "anthropic" | "openai"
  readonly keyEnv: string
  /** Another address of the provider, as its SDK calls it. */
  readonly baseUrlEnv: string
  /** An inexpensive model. */
  readonly model: string
}

const providers: readonly Provider[] = [
  { name: "anthropic", keyEnv: "ANTHROPIC_API_KEY", baseUrlEnv: "ANTHROPIC_BASE_URL", model: "claude-haiku-5-5" },
  { name: "openai", keyEnv: "OPENAI_API_KEY", baseUrlEnv: "OPENAI_BASE_URL", model: "gpt-6-luna" },
]

/** A line of `--output ndjson`. A piece of text that is marked as whole is one that did not come piece by piece. */
const eventSchema = z.looseObject({ type: z.string().optional(), whole: z.boolean().optional() })

let cwd: string | undefined

afterEach(async () => {
  if (cwd !== undefined) await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

const settings = ({ name, model, baseUrlEnv }: Provider) => {
  const baseUrl = process.env[baseUrlEnv]
  return { models: { main: { provider: name, model, ...(baseUrl === undefined ? {} : { baseUrl }) } } }
}

/** Runs the program in a new project whose model is the provider's. */
const runProgram = async (
  provider: Provider,
  argv: readonly string[],
  {
    key = process.env[provider.keyEnv] ?? "",
    files = {},
  }: { key?: string; files?: Readonly<Record<string, string>> } = {},
): Promise<Ended> => {
  cwd = await mkdtemp(path.join(os.tmpdir(), "adjutant-smoke-"))
  await writeFile(path.join(cwd, "adjutant.config.yaml"), JSON.stringify(settings(provider)))
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(cwd, name), content)
  const env = { ...programEnv(), ADJUTANT_TRUST: "1", [provider.keyEnv]: key }
  return startProgram({ cwd, env }, argv).ended
}

const run = async (
  provider: Provider,
  prompt: string,
  options?: Parameters<typeof runProgram>[2],
): Promise<OutcomeDocument> => {
  const { stdout, stderr } = await runProgram(
    provider,
    ["run", "--output", "json", "--max-steps", "6", prompt],
    options,
  )
  try {
    return outcomeDocumentSchema.parse(JSON.parse(stdout))
  } catch (error) {
    throw new Error(`no outcome document: ${stdout}\n${stderr}`, { cause: error })
  }
}

const requireCompleted = (document: OutcomeDocument): void => {
  if (document.outcome !== "completed") throw new Error(`the run did not complete: ${JSON.stringify(document)}`)
}

/** A system prompt must have some thousand tokens before a provider caches it. */
const longInstructions = Array.from(
  { length: 600 },
  (_, line) => `Rule ${line}: answer in few words, and never invent ${line} things.`,
)

describe.each(providers)("the real $name", (provider) => {
  const hasKey = (process.env[provider.keyEnv] ?? "") !== ""
  const isReal = process.env[provider.baseUrlEnv] === undefined

  it.runIf(hasKey && isReal)("plays the demo", async () => {
    const { code, stderr } = await runProgram(provider, ["demo"])
    expect({ code, stderr }).toMatchObject({ code: 0 })
  })

  it.runIf(hasKey)("calls a tool and uses its result", async () => {
    const document = await run(
      provider,
      "Use the tool Read to read number.txt, and answer with the number in it only.",
      {
        files: { "number.txt": "70412\n" },
      },
    )
    requireCompleted(document)
    expect(document).toHaveProperty("final_message", expect.stringContaining("70412"))
  })

  it.runIf(hasKey)("streams its answer", async () => {
    const argv = ["run", "--output", "ndjson", "Count from 1 to 80, one number per line. Use no tool."]
    const { code, stdout, stderr } = await runProgram(provider, argv)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => eventSchema.parse(JSON.parse(line)))
    expect(events.filter(({ type, whole }) => type === "text-delta" && whole !== true)).not.toEqual([])
  })

  it.runIf(hasKey)("reads the prompt of an earlier step from its cache", async () => {
    const document = await run(
      provider,
      "Use the tool Read to read a.txt, then b.txt, one after the other, and answer with both words.",
      {
        files: { "AGENTS.md": longInstructions.join("\n"), "a.txt": "larch\n", "b.txt": "rowan\n" },
      },
    )
    requireCompleted(document)
    expect(document).toHaveProperty(
      "usage.cache_read_tokens",
      expect.toSatisfy((tokens) => tokens > 0),
    )
  })

  it("fails at once with a key that the provider refuses, and says so", async () => {
    const document = await run(provider, "Say hello.", { key: "sk-refused-by-everyone" })
    expect(document).toMatchObject({ outcome: "failed", error: { code: "key_missing" } })
    expect(JSON.stringify(document)).not.toContain("sk-refused-by-everyone")
  })
})
