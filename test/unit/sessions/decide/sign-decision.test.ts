import { expect, it } from "vitest"
import type { Decide } from "../../../../contracts/approval/decision.ts"
import { isSignedDecision, signDecision } from "../../../../sessions/decide/sign-decision.ts"

const store = { secret: async () => Buffer.alloc(32, 7).toString("hex") }
const decide: Decide = {
  decision_id: "dec_1",
  run_id: "run_1",
  checkpoint_id: "cp_1",
  decisions: { a: { action: "accept" }, b: { action: "reject", content: "no" } },
  unlisted: "pending",
  all: { action: "accept" },
  by: "ada",
  via: "http",
  approval: "policy",
}

it("accepts what was signed for the session, whatever the order of its fields", async () => {
  const { decisions, ...rest } = await signDecision(store, "s1", decide)
  const sorted = { ...rest, decisions: Object.fromEntries(Object.entries(decisions).toReversed()) }
  expect(await isSignedDecision(store, "s1", sorted)).toBe(true)
  expect(await isSignedDecision(store, "s2", sorted)).toBe(false)
  expect(await isSignedDecision(store, "s1", decide)).toBe(false)
})

it.each<Partial<Decide>>([
  { decision_id: "dec_2" },
  { run_id: undefined },
  { checkpoint_id: "cp_2" },
  { decisions: { ...decide.decisions, b: { action: "accept" } } },
  { decisions: { ...decide.decisions, b: { action: "reject", content: "yes" } } },
  { decisions: { ...decide.decisions, a: { action: "edit", arguments: { path: "x" } } } },
  { unlisted: "reject" },
  { all: undefined },
  { by: "eve" },
  { via: "cli" },
  { approval: undefined },
  { approval: ["Bash"] },
])("refuses it with another %j", async (change) => {
  const signed = await signDecision(store, "s1", decide)
  expect(await isSignedDecision(store, "s1", { ...signed, ...change })).toBe(false)
})

it("refuses a signature of another store, or one that only looks like one", async () => {
  const signed = await signDecision(store, "s1", decide)
  const other = { secret: async () => Buffer.alloc(32, 8).toString("hex") }
  expect(await isSignedDecision(other, "s1", signed)).toBe(false)
  const zeros = Buffer.alloc(32).toString("base64url")
  expect(await isSignedDecision(store, "s1", { ...signed, signature: zeros })).toBe(false)
})
