import type { Generated } from "kysely"

/** The tables that count what model calls use. */
export interface UsageSchema {
  usage: {
    session_num: number
    run_num: number
    step: number
    fence: number
    model: string
    input_tokens: number
    output_tokens: number
    cache_read_tokens: number
    cache_write_tokens: number
    reasoning_tokens: number
    cost_micro_usd: number | null
  }
  daily_usage: {
    /** Days since the epoch, in UTC. */
    day: number
    micro_usd: Generated<number>
    tokens: Generated<number>
    /** 1: the warning that the day's limit comes near was given. */
    warned_usd: Generated<number>
    warned_tokens: Generated<number>
  }
  /** The most that each model call which runs now can use. */
  call_reservations: {
    session_num: number
    run_num: number
    step: number
    /** The day of the call, to which its usage counts. */
    day: number
    micro_usd: number
    tokens: number
  }
}
