/** Orders the writes of attempts: a row is replaced only by an equal or later fence. Made from the activity's scheduled time (ms) and attempt. */
export type Fence = number
