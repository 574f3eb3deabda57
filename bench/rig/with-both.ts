import type { BenchContext } from "../benchmark.ts"
import { type BareWorker, openBareWorker } from "./bare-worker.ts"
import { type BenchAgent, openBenchAgent } from "./bench-agent.ts"

/** Opens Adjutant and a bare worker on the shared server, and closes both at the end. */
export const withBoth = async <T>(
  context: BenchContext,
  use: (both: { readonly agent: BenchAgent; readonly bare: BareWorker }) => Promise<T>,
): Promise<T> => {
  const server = await context.server()
  const agent = await openBenchAgent(server)
  try {
    const bare = await openBareWorker(server)
    try {
      return await use({ agent, bare })
    } finally {
      await bare.close()
    }
  } finally {
    await agent.close()
  }
}
