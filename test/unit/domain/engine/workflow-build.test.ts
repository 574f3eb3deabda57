import { expect, it } from "vitest"
import { compareBuild } from "../../../../domain/engine/workflow-build.ts"

const build = (version: string, buildId = version) => ({ buildId, version })

it.each([
  ["the first build of a store", build("1.2.0"), undefined, "replace"],
  ["the same build", build("1.2.0"), build("1.2.0"), "execute"],
  ["another build of the same version", build("1.2.0"), build("1.2.0", "b"), "replace"],
  ["a build of a later version", build("1.10.0"), build("1.9.3"), "replace"],
  ["a build of an earlier version", build("1.9.3"), build("1.10.0"), "too-old"],
  ["a shorter number of the same version", build("1.2"), build("1.2.0"), "replace"],
  ["a pre-release of the same version", build("1.2.0-rc.1"), build("1.2.0"), "replace"],
  ["a version that is not a number", build("unknown"), build("1.0.0"), "too-old"],
] as const)("judges %s", (_, own, current, expected) => {
  expect(compareBuild(own, current)).toBe(expected)
})
