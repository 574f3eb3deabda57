/** How long whoever begins a request under an idempotency key has it alone, in milliseconds. Afterwards a repetition takes it over. */
export const idempotencyLeaseMs = 60_000
