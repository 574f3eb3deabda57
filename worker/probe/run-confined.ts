import { realpath } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Environment } from "../../domain/environment.ts"
import { detectSandbox } from "../../tools/sandbox/detect-sandbox.ts"
import { hiddenDirectories } from "../../tools/files/confined-path.ts"
import { explainFailure } from "../../tools/sandbox/view/explain-failure.ts"
import { toolEnvironment } from "../../tools/tool-environment.ts"
import { sandboxSettingsOf } from "../detect-sandbox.ts"

export { eraseCacheLayer } from "../../tools/sandbox/view/cache-layer.ts"

export interface ConfinedCommand {
  readonly command: string
  readonly cwd: string
  readonly env: Environment
  readonly signal: AbortSignal
  readonly onOutput: (chunk: Buffer) => void
}

export interface ConfinedEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  /** What the sandbox has to do with its failure. */
  readonly notices: readonly string[]
}

const timeoutMs = 24 * 60 * 60_000

/**
 * Runs a command for a person as Bash runs those of agents: in the same sandbox, with the same environment.
 * @throws AdjutantError `sandbox_unavailable` if no backend works
 */
export const runConfined = async (
  { config, dataDir }: LoadedConfig,
  { command, cwd: directory, env, signal, onOutput }: ConfinedCommand,
): Promise<ConfinedEnd> => {
  const sandbox = await detectSandbox("require", sandboxSettingsOf(config, { env, dataDir }))
  const cwd = await realpath(directory)
  const ownerId = `cli-${randomUUID()}`
  const toolEnv = toolEnvironment(env, config.security.envAllow)
  try {
    const result = await sandbox.run({
      ...{ command, cwd, env: toolEnv, timeoutMs, signal, onOutput, ownerId },
      outputFile: join(tmpdir(), `${ownerId}.txt`),
      maxOutputBytes: 30_000,
      hiddenDirs: hiddenDirectories({ cwd, dataDir }),
    })
    const failed = { cwd, path: toolEnv["PATH"] ?? "", network: undefined, isTask: false }
    return {
      exitCode: result.exitCode,
      notices: result.exitCode === 0 ? [] : explainFailure(result, sandbox, failed),
    }
  } finally {
    await sandbox.stopBackground(ownerId)
    await sandbox.close?.()
  }
}
