import type { Benchmark, BenchContext, Figure } from "../../benchmark.ts"
import { type BenchAgent, openBenchAgent } from "../../rig/bench-agent.ts"
import { type Conversation, type Prompt, startConversation } from "./conversation.ts"
import { type Wire, wires } from "./wires.ts"

const actor = { by: "bench", via: "cli" }
const forkedAtStep = 3

/** Lets a run meet all that could change the beginning of its requests: calls, a pause, steering, two children, a restart, a follow-up and a fork. */
const converse = async ({ client, start, restartWorker }: BenchAgent, conversation: Conversation): Promise<void> => {
  const sessionId = await start({
    prompt: "Look.",
    allowed_tools: ["Lookup", "Act", "LS", "Task"],
    auto_approve: false,
  })
  await client.wait(sessionId)
  await client.decide({ sessionId, all: { action: "accept" }, unlisted: "pending", actor })
  await conversation.reached("steered")
  await client.send({ sessionId, text: "Look closer.", type: "steering", actor })
  conversation.release("steered")
  await conversation.reached("restarted")
  await restartWorker()
  conversation.release("restarted")
  await client.wait(sessionId)
  await client.send({ sessionId, text: "And now?", type: "message", actor })
  await client.wait(sessionId)
  const fork = await client.fork({ sessionId, atStep: forkedAtStep, actor })
  await client.send({ sessionId: fork.id, text: "And otherwise?", type: "message", actor })
  await client.wait(fork.id)
}

/**
 * Returns whether a prompt begins with the one before it: that of the answer before, or of a second child that of the first child up to its instruction.
 * Returns undefined if there is none before it.
 */
const beginsAsBefore = (prompt: Prompt, earlier: readonly Prompt[]): boolean | undefined => {
  const { answers, isChild } = prompt
  const others = earlier.filter((each) => each.isChild === isChild)
  const before =
    answers > 0
      ? others.findLast((each) => each.answers === answers - 1)?.parts
      : others.find((each) => each.answers === 0)?.parts.slice(0, -1)
  return before?.every((part, index) => part === prompt.parts[index])
}

const measureWire = async (context: BenchContext, wire: Wire): Promise<number> => {
  const { address, hasSearchAttributes } = await context.server()
  const conversation = await startConversation(wire)
  const agent = await openBenchAgent({
    address,
    hasSearchAttributes,
    env: { BENCH_KEY: "none" },
    models: {
      main: {
        provider: wire.provider,
        model: wire.model,
        baseUrl: wire.baseUrl(conversation.url),
        apiKeyEnv: "BENCH_KEY",
      },
    },
  })
  try {
    await converse(agent, conversation)
    const { prompts } = conversation
    const compared = prompts
      .map((prompt, index) => beginsAsBefore(prompt, prompts.slice(0, index)))
      .filter((isEqual) => isEqual !== undefined)
    const equal = compared.filter(Boolean).length
    context.log(`${wire.api}: ${equal} of ${compared.length} requests begin with the request before`)
    return (equal / compared.length) * 100
  } finally {
    await agent.close()
    await conversation.close()
  }
}

/** Measures how many requests providers find in their caches up to what is new in them. */
export const prefixEquality: Benchmark = {
  name: "b25",
  title: "requests of a conversation that begin byte for byte with the request before",
  async measure(context) {
    const figures: Figure[] = []
    for (const wire of wires) {
      const values: number[] = []
      for (let round = 0; round < context.pairs(1); round += 1) values.push(await measureWire(context, wire))
      figures.push({ label: wire.api, unit: "%", values, goal: { kind: "at-least", value: 100 } })
    }
    return { figures }
  },
}
