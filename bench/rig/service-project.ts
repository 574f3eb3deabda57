import { rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ServiceStatus } from "../../contracts/service/service-status.ts"
import { findService } from "../../service/ask-service.ts"
import { endServicesIn } from "../../test/helpers/end-services.ts"
import { startAdjutant } from "./adjutant-process.ts"
import { benchFolder } from "./bench-agent.ts"
import { installProgram } from "./installed-program.ts"
import { plainEnvironment } from "./tuned-server.ts"

/** A project with the installed program, whose commands use a service. */
export interface ServiceProject extends AsyncDisposable {
  readonly cwd: string
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly launcher: string
  /** Runs a command, and returns what it printed. */
  run(...args: readonly string[]): Promise<string>
  /** Returns what the service says about itself. */
  service(): Promise<ServiceStatus>
}

const oneAnswer = "turns:\n  - reply: { text: Done. }\n"
const scripted = { provider: "scripted", script: "script.yaml" }

/** Installs the program for a project. `model`: default is one that answers at once. */
export const openServiceProject = async (model: object = scripted): Promise<ServiceProject> => {
  const { cwd, configPath, dataDir } = await benchFolder()
  const folder = dirname(dataDir)
  await writeFile(join(folder, "script.yaml"), oneAnswer)
  await writeFile(configPath, JSON.stringify({ models: { main: model } }))
  const env = { ...plainEnvironment(folder), ADJUTANT_DATA_DIR: dataDir, ADJUTANT_CONFIG: configPath }
  const { launcher, remove } = await installProgram()
  return {
    ...{ cwd, dataDir, env, launcher },
    service: async () => {
      const found = await findService(dataDir)
      if (found === undefined) throw new Error("no service runs")
      return found.status
    },
    run: async (...args) => {
      const program = startAdjutant({ args, cwd, env, launcher })
      const code = await program.ended
      if (code !== 0) throw new Error(`adjutant ${args.join(" ")} ended with ${code}: ${program.stderr()}`)
      return program.stdout()
    },
    [Symbol.asyncDispose]: async () => {
      await endServicesIn(folder)
      await remove()
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
