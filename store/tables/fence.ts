/** Orders the writes of attempts: a row is only replaced by an equal or later fence. From activity scheduled time (ms) and attempt. */
export type Fence = number
