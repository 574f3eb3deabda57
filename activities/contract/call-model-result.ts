import type { AssistantMessage } from "../../contracts/message.ts"
import type { UsageTotals } from "../../domain/limits/usage-totals.ts"
import type { ProposedCall } from "../../domain/calls/tool-batch.ts"

/** What a model turn came to. */
export type CallModelResult =
  | {
      readonly kind: "answer"
      readonly stop: AssistantMessage["stop"]
      /** The provider's word for an end that is not known. */
      readonly stopWord?: string
      readonly calls: readonly ProposedCall[]
      readonly hasText: boolean
      readonly preview: string
      /** Total of all attempts of this step. */
      readonly usage: UsageTotals
      /** Why a final text is not the result that the run requires. */
      readonly resultProblem?: string
      /** Why the server cannot have read the whole prompt. */
      readonly promptCut?: string
      /** Says that a tool of the run is left out, because no sandbox works on the worker. */
      readonly leftOut?: string
    }
  // The answer has calls and ended with an unknown word: it is discarded, and the model is called again.
  | { readonly kind: "unknown-end"; readonly word: string; readonly usage: UsageTotals }
  // `reason`: why, and how to continue, if it was not the run's own budget.
  | { readonly kind: "budget-exhausted"; readonly usage: UsageTotals; readonly reason?: string }
  // The call was not made: the limits of the provider's key allow it later. `failedAttempts`: those of this step so far.
  | {
      readonly kind: "rate-limited"
      readonly waitMs: number
      readonly since: string
      readonly failedAttempts: number
    }
  // The conversation does not fit, as the provider said (`isRefused`) or before it was asked.
  | { readonly kind: "needs-compaction"; readonly isRefused: boolean }
