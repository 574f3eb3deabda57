import { SandboxManager } from "@anthropic-ai/sandbox-runtime"
import { errorMessage } from "../../../domain/text/error-message.ts"
import type { RuntimeAnswer, RuntimeRequest } from "./ask-runtime.ts"

/**
 * Answers a request in the process of the runtime, one for each sandbox. The runtime protects files below its working directory, passes on its
 * environment and handles its signals, so that it runs in a separate process.
 */
const answer = async (request: RuntimeRequest): Promise<readonly string[]> => {
  switch (request.type) {
    case "start": {
      if (!request.proxies) {
        SandboxManager.updateConfig(request.config)
        return []
      }
      await SandboxManager.initialize(request.config)
      const sockets = [SandboxManager.getLinuxHttpSocketPath(), SandboxManager.getLinuxSocksSocketPath()]
      return sockets.filter((path) => path !== undefined)
    }
    case "wrap": {
      const { filesystem, script, shell } = request
      const { allowedDomains, deniedDomains } = SandboxManager.getConfig()?.network ?? {}
      const network = { allowedDomains: allowedDomains ?? [], deniedDomains: deniedDomains ?? [] }
      return [await SandboxManager.wrapWithSandbox(script, shell, { network, filesystem })]
    }
    case "ended":
      // The runtime counts running commands, and removes its files for them after the last one.
      SandboxManager.cleanupAfterCommand()
      return []
  }
}

const reply = (message: RuntimeAnswer): void => void process.send?.(message)

process.on("message", (request: RuntimeRequest) => {
  answer(request).then(
    (value) => reply({ id: request.id, value }),
    (error: unknown) => reply({ id: request.id, problem: errorMessage(error) }),
  )
})

const end = (): void => void SandboxManager.reset().finally(() => process.exit(0))

// The worker has ended or no longer needs the sandbox.
process.once("disconnect", end)
process.once("SIGTERM", end)
