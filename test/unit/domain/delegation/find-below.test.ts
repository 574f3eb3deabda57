import { expect, it } from "vitest"
import { findBelow, type NamedSession } from "../../../../domain/delegation/find-below.ts"

const session = (id: string, over: Partial<NamedSession>): NamedSession => ({
  ...{ id, parentId: "parent", number: null, label: null, sessionKey: `key of ${id}` },
  ...over,
})

const below = [
  session("first", { number: 1, label: "scout" }),
  session("second", { number: 2, label: "scout" }),
  session("deeper", { number: 1, parentId: "second" }),
]
const found = (target: string) => findBelow(below, "parent", target)?.id

it("finds a session below by id, key or label, the newest first, and by number only those that the parent started", () => {
  expect(["deeper", "key of first", "scout"].map(found)).toEqual(["deeper", "first", "second"])
  expect(["#1", "#2", "#3"].map(found)).toEqual(["first", "second", undefined])
})
