import { expect, test } from "vitest"
import { viewOf } from "../../../sessions/view-of.ts"

const row = { id: "one", parentId: "two", createdAt: "2026-01-02T03:04:05.000Z", internal: "not shown" }

test("a row is shown in the order of the fields, with the names of the wire", () => {
  const view = viewOf(["created_at", "parent_session_id", "id", "state"], {
    row,
    named: { parentId: "parent_session_id" },
    computed: { state: "open" },
  })
  expect(JSON.stringify(view)).toBe(
    '{"created_at":"2026-01-02T03:04:05.000Z","parent_session_id":"two","id":"one","state":"open"}',
  )
})

test("what is computed replaces what the row has", () => {
  expect(viewOf(["id"], { row, computed: { id: null } })).toEqual({ id: null })
})
