import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { freePort } from "../../../server/exposure/choose-ports.ts"
import { eventually } from "../eventually.ts"
import { pythonProgram } from "../python-program.ts"

export const litellm = pythonProgram("litellm")

/** A LiteLLM proxy on loopback. */
export interface LiteLlm extends AsyncDisposable {
  /** Without a path. */
  readonly url: string
  readonly key: string
}

/** A model of the proxy, as `litellm_params` of its configuration has it. */
export type LiteLlmModel = { readonly model: string; readonly [param: string]: unknown }

const key = "sk-litellm-test"
/** It never looks anything up elsewhere: prices are those that it was published with. */
const offline = {
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS: "True",
  LITELLM_MASTER_KEY: key,
  LITELLM_TELEMETRY: "False",
}
/** Only stops a hang: on a busy machine, it takes minutes. */
const startLimitMs = 500_000

/** Starts the proxy with these models. It tries nothing a second time, so that tests see every failure. */
export const startLiteLlm = async (models: Readonly<Record<string, LiteLlmModel>>): Promise<LiteLlm> => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-litellm-"))
  const config = path.join(folder, "config.yaml")
  await writeFile(
    config,
    JSON.stringify({
      model_list: Object.entries(models).map(([name, params]) => ({ model_name: name, litellm_params: params })),
      litellm_settings: { num_retries: 0, telemetry: false },
      router_settings: { num_retries: 0, disable_cooldowns: true },
    }),
  )
  const port = await freePort(new Set())
  const program = spawn(litellm.program, ["--config", config, "--host", "127.0.0.1", "--port", String(port)], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...offline },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let said = ""
  for (const stream of [program.stdout, program.stderr])
    stream.on("data", (bytes: Buffer) => (said += bytes.toString()))
  const ended = once(program, "exit")
  const url = `http://127.0.0.1:${port}`
  const close = async () => {
    program.kill("SIGKILL")
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await eventually(
      async () => {
        if (program.exitCode !== null) throw new Error(`litellm ended with ${program.exitCode}`)
        const answer = await fetch(`${url}/health/liveliness`).catch(() => undefined)
        return answer?.ok === true
      },
      { timeoutMs: startLimitMs, everyMs: 250 },
    )
  } catch (error) {
    await close()
    throw new Error(`litellm did not start: ${said.slice(-2_000)}`, { cause: error })
  }
  return { url, key, [Symbol.asyncDispose]: close }
}
