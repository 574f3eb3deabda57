import { expect, it } from "vitest"
import { movePathsIn, withMovedPaths } from "../../../../domain/run/moved-paths.ts"

const moved = [
  { from: "/srv/old/.adjutant", to: "/state/adjutant/new-1" },
  { from: "/srv/old", to: "/srv/new (1)" },
]

it.each([
  ["/srv/old", "/srv/new (1)"],
  ["/srv/old/a/b.txt", "/srv/new (1)/a/b.txt"],
  ["/srv/old/.adjutant/spill/x", "/state/adjutant/new-1/spill/x"],
  [
    "Work in /srv/old, and never in /srv/older or /srv/old-2.",
    "Work in /srv/new (1), and never in /srv/older or /srv/old-2.",
  ],
  ["/backup/srv/old", "/backup/srv/old"],
  ["cp /srv/old/a '/srv/old'", "cp /srv/new (1)/a '/srv/new (1)'"],
  ["nothing", "nothing"],
])("%s", (text, expected) => {
  expect(withMovedPaths(text, moved)).toBe(expected)
  expect(withMovedPaths(text, [])).toBe(text)
})

it("reaches every text of a value, and no key", () => {
  const value = { "/srv/old": ["/srv/old/x", 1, null, { cwd: "/srv/old" }], on: true }
  expect(movePathsIn(value, moved)).toEqual({
    "/srv/old": ["/srv/new (1)/x", 1, null, { cwd: "/srv/new (1)" }],
    on: true,
  })
})
