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
    /** When the call was counted, in milliseconds since the epoch. */
    at: number
    /** Who started the tree of the session; `local` is the user of this machine. */
    caller: string
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
  /** What is used of each provider's key. */
  provider_keys: {
    /** Hash of the key's name and address. */
    provider_key: string
    /** Requests and tokens that time has not given back at `at`. */
    requests: Generated<number>
    tokens: Generated<number>
    at: Generated<number>
    blocked_until: Generated<number>
    /** How long calls take; 0: not known. */
    call_ms: Generated<number>
    next_ticket: Generated<number>
  }
  /** Model calls that run, and those that wait for their time. */
  provider_calls: {
    session_num: number
    run_num: number
    step: number
    provider_key: string
    ticket: number
    /** 1: it runs; 0: it waits. */
    calling: number
    start_at: number
    /** When the row counts no more, unless its worker extends it or the call asks again. */
    lapses_at: number
    tokens: number
  }
}
