import type { Benchmark, BenchContext } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { openBenchAgent } from "../../rig/bench-agent.ts"
import { prompts } from "../../rig/bench-model.ts"
import { type LimitedProvider, startLimitedProvider } from "../../rig/limited-provider.ts"

const agents = 50
const steps = 10
const requestsPerMinute = 600
const needed = agents * steps

/** Returns the requests that the agents sent, all together. */
const requestsOf = async (context: BenchContext, provider: LimitedProvider): Promise<number> => {
  const { address, hasSearchAttributes } = await context.server()
  const agent = await openBenchAgent({
    address,
    hasSearchAttributes,
    models: {
      main: {
        provider: "openai-compatible",
        model: "limited",
        baseUrl: provider.baseUrl,
        limits: { requestsPerMinute },
      },
    },
  })
  try {
    const one = async () => agent.ended(await agent.start({ prompt: prompts.call, max_steps: steps }))
    const tookMs = await elapsedMs(() => Promise.all(Array.from({ length: agents }, one)))
    const rate = Math.round((needed / tookMs) * 60_000)
    context.log(`${provider.requests()} requests, ${provider.refused()} refused, ${rate} steps per minute`)
    return provider.requests()
  } finally {
    await agent.close()
  }
}

/** Counts what many agents send to a provider that answers 429 above its rate. */
export const providerLimits: Benchmark = {
  name: "b15",
  title: "requests sent to a provider that answers 429 above its rate ÷ requests needed",
  async measure(context) {
    const values: number[] = []
    for (let round = 0; round < context.pairs(1); round += 1) {
      const provider = await startLimitedProvider(requestsPerMinute)
      try {
        values.push((await requestsOf(context, provider)) / needed)
      } finally {
        await provider.close()
      }
    }
    const label = `${agents} agents of ${steps} steps, ${requestsPerMinute} requests per minute`
    return { figures: [{ label, unit: "×", values, goal: { kind: "at-most", value: 1.1 } }] }
  },
}
