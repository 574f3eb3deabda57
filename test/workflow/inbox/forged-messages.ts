import fc from "fast-check"

/** What the sender of a forged message may know about the session. */
export interface Known {
  readonly runId: string
  readonly snapshotHash: string
  readonly checkpoints: readonly string[]
  readonly callIds: readonly string[]
  readonly messageId: string
}

/** A placeholder for a value of the session that is not known before the message is sent. */
const names = ["$run", "$hash", "$checkpoint", "$past", "$call", "$message"] as const

const known = (name: string, session: Known): string | undefined => {
  switch (name) {
    case "$run":
      return session.runId
    case "$hash":
      return session.snapshotHash
    case "$checkpoint":
      return session.checkpoints.at(-1)
    case "$past":
      return session.checkpoints[0]
    case "$call":
      return session.callIds.at(-1)
    case "$message":
      return session.messageId
    default:
      return undefined
  }
}

/** Returns the same value with every placeholder replaced. */
export const fillIn = (value: unknown, session: Known): unknown => {
  if (typeof value === "string") return known(value, session) ?? value
  if (Array.isArray(value)) return value.map((part) => fillIn(part, session))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [known(key, session) ?? key, fillIn(part, session)]),
  )
}

const name = fc.constantFrom(...names)
const long = fc.constantFrom("x".repeat(65_536), "ü".repeat(65_000), "\u0001".repeat(60_000), "y".repeat(70_000))
const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), long, fc.constantFrom("", " ", "__proto__"))
const id = fc.oneof(
  name,
  name,
  fc.string({ maxLength: 8 }),
  fc.constantFrom("", "nope", "__proto__", "x".repeat(3_000)),
)
const junk = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, null, Number.NaN), text)

/** Mostly of the right form, with single fields that are not. */
const nearly = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> => {
  const field = (right: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: junk })
  const shaped = fc.record(Object.fromEntries(Object.entries(fields).map(([key, right]) => [key, field(right)])), {
    requiredKeys: [],
  })
  return fc.oneof({ weight: 6, arbitrary: shaped }, { weight: 1, arbitrary: junk })
}

const decision = nearly({ action: fc.constantFrom("accept", "reject", "custom_result", "allow"), content: text })
const decide = nearly({
  decision_id: id,
  run_id: id,
  checkpoint_id: id,
  decisions: fc.dictionary(id, decision, { maxKeys: 3 }),
  all: decision,
  unlisted: fc.constantFrom("pending", "reject", "keep"),
  by: fc.string(),
  via: fc.string(),
})
const message = nearly({
  id,
  type: fc.constantFrom("message", "follow_up", "steering"),
  source: fc.constantFrom("instruction", "input", "follow_up", "steering", "announce"),
  text,
  run_id: id,
  checkpoint_id: id,
  new_run: nearly({ run_id: id, snapshot_hash: id }),
  budget: nearly({ micro_usd: fc.option(fc.nat()), tokens: fc.option(fc.nat()) }),
})
const whole = fc
  .record({
    id,
    type: fc.constantFrom("message", "follow_up", "steering"),
    source: fc.constantFrom("input", "steering"),
  })
  .map((value): unknown => value)
const selection = fc.oneof(
  fc.constant("all"),
  id,
  fc.array(id, { maxLength: 4 }),
  nearly({ ids: fc.array(id), reason: text }),
)

const valueOf = {
  inbox: fc.oneof(message, whole),
  decide,
  approve: selection,
  reject: selection,
  input: fc.oneof(text, junk),
  steer: fc.oneof(text, junk),
  host: nearly({ queue: fc.option(id) }),
  child: nearly({ id, status: fc.constantFrom("paused", "running", "ended"), run_id: id }),
  slot: nearly({ run_id: id, turn: fc.nat({ max: 3 }), position: fc.nat({ max: 3 }) }),
  binding: junk,
  unheard_of: junk,
}

const isSignal = (key: string): key is keyof typeof valueOf => Object.hasOwn(valueOf, key)

export interface Forged {
  readonly way: "signal" | "update"
  readonly name: string
  readonly value: unknown
}

const signals = fc
  .constantFrom(...Object.keys(valueOf).filter(isSignal))
  .chain((key) => valueOf[key].map((value): Forged => ({ way: "signal", name: key, value })))

const updates = fc.oneof(
  decide.map((value): Forged => ({ way: "update", name: "decide", value })),
  fc.oneof(message, whole).map((value): Forged => ({ way: "update", name: "send", value })),
  fc.oneof(message, whole).map((value): Forged => ({ way: "update", name: "steer", value })),
  nearly({ model: fc.constantFrom("main", "light", "none") }).map((value): Forged => ({
    way: "update",
    name: "setModel",
    value,
  })),
  junk.map((value): Forged => ({ way: "update", name: "unheard_of", value })),
)

/** What a user with access to the engine may send to a session, sometimes twice in a row. */
export const forgedMessages: fc.Arbitrary<Forged> = fc.oneof(signals, signals, updates)
