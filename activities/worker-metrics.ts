import type { MetricMeter } from "@temporalio/common"
import type { AssistantMessage, ToolOutcome } from "../contracts/message.ts"

/** Counts what a worker does, for its `/metrics` and for OpenTelemetry. */
export interface WorkerMetrics {
  /** `outcome`: `ok`, or the kind of the failure. */
  modelCalled(call: {
    readonly model: string
    readonly outcome: string
    readonly seconds: number
    readonly usage?: AssistantMessage["usage"]
    readonly costMicroUsd?: number | null
  }): void
  toolCalled(call: { readonly tool: string; readonly outcome: ToolOutcome; readonly seconds: number }): void
  runEnded(stopReason: string): void
  delivered(outcome: "delivered" | "failed"): void
}

/** Creates the counters of a worker. Its library serves and sends them with its own; without a reader, they cost nothing. */
export const createWorkerMetrics = (meter: MetricMeter): WorkerMetrics => {
  const counter = (name: string, what: string) => meter.createCounter(`adjutant_${name}_total`, undefined, what)
  const duration = (name: string, what: string) => meter.createHistogram(`adjutant_${name}_seconds`, "float", "s", what)
  const modelCalls = counter("model_calls", "Calls of models, by how they ended.")
  const modelSeconds = duration("model_call", "How long calls of models took.")
  const tokens = counter("tokens", "Tokens of calls of models.")
  const cost = counter("cost_micro_usd", "What calls of models with a price cost, in millionths of a US dollar.")
  const toolCalls = counter("tool_calls", "Calls of tools that were executed, by outcome.")
  const toolSeconds = duration("tool_call", "How long calls of tools took.")
  const runs = counter("runs", "Runs that ended, by stop reason.")
  const deliveries = counter("deliveries", "Deliveries that were sent or given up.")
  return {
    modelCalled: ({ model, outcome, seconds, usage, costMicroUsd }) => {
      modelCalls.add(1, { model, outcome })
      modelSeconds.record(seconds, { model })
      if (usage === undefined) return
      tokens.add(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens, { model, type: "input" })
      tokens.add(usage.outputTokens, { model, type: "output" })
      if (costMicroUsd != null) cost.add(costMicroUsd, { model })
    },
    toolCalled: ({ tool, outcome, seconds }) => {
      toolCalls.add(1, { tool, outcome })
      toolSeconds.record(seconds, { tool })
    },
    runEnded: (stopReason) => runs.add(1, { stop_reason: stopReason }),
    delivered: (outcome) => deliveries.add(1, { outcome }),
  }
}
