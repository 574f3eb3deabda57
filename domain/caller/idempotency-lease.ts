/** How long a request under an idempotency key is reserved for its first sender, in milliseconds. After that, a repeated request takes over. */
export const idempotencyLeaseMs = 60_000
