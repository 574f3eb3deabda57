import { expect, it } from "vitest"
import { findBelow, type NamedSession } from "../../../../domain/delegation/find-below.ts"

const session = (id: string, over: Partial<NamedSession> = {}): NamedSession => ({
  ...{ id, parentId: "parent", number: null, label: null, sessionKey: `key of ${id}` },
  ...{ status: "running", createdAt: "2026-01-01T00:00:00.000Z" },
  ...over,
})

const nowMs = Date.parse("2026-01-01T01:00:00.000Z")
const finder =
  (below: readonly NamedSession[]) =>
  (target: string): string | undefined =>
    findBelow(below, { parentId: "parent", target, nowMs })?.id

const found = finder([
  session("first", { number: 1, label: "scout", status: "completed" }),
  session("second", { number: 2, label: "scout" }),
  session("deeper", { number: 9, label: "inner", parentId: "second" }),
])

it("finds a session below by id or key, and by number or label only those that the parent started", () => {
  expect(["deeper", "key of first", "scout", "inner"].map(found)).toEqual(["deeper", "first", "second", undefined])
  expect(["#1", "#2", "#3", "#9"].map(found)).toEqual(["first", "second", undefined, undefined])
})

it("refuses a label that several open sub-agents have, with the candidates", () => {
  const named = finder([
    session("first", { label: "scout" }),
    session("second", { label: "scout", status: "paused", createdAt: "2026-01-01T00:30:00.000Z" }),
  ])
  expect(() => named("scout")).toThrow(
    "the label scout names several tasks: second (paused, 30m00s old), first (running, 1h00m old); name one by its id",
  )
  expect(named("first")).toBe("first")
})

it("a label never takes over an id, a key or a number", () => {
  const named = finder([
    session("first", { number: 1, label: "second" }),
    session("second", { number: 2, label: "#1" }),
    session("third", { label: "key of first" }),
  ])
  expect(["second", "#1", "key of first"].map(named)).toEqual(["second", "first", "first"])
})
