import { expect, it } from "vitest"
import { isOlderBuild, patchesIn } from "../../../../domain/engine/workflow-build.ts"

const build = (version: string, buildId = version) => ({ buildId, version, patches: [] })
const patched = (version: string, ...patches: readonly string[]) => ({
  ...build(version, `${version} ${patches.join(" ")}`),
  patches,
})

it.each([
  ["the same build", build("1.2.0"), build("1.2.0"), false],
  ["another build of the same version", build("1.2.0"), build("1.2.0", "b"), false],
  ["a build of a later version", build("1.10.0"), build("1.9.3"), false],
  ["a build of an earlier version", build("1.9.3"), build("1.10.0"), true],
  ["a shorter number of the same version", build("1.2"), build("1.2.0"), false],
  ["a pre-release of the same version", build("1.2.0-rc.1"), build("1.2.0"), false],
  ["a version that is not a number", build("unknown"), build("1.0.0"), true],
  ["a build with a patch that the other lacks", patched("1.2.0", "a", "b"), patched("1.2.0", "a"), false],
  ["a build that lacks a patch of the other", patched("1.2.0", "a"), patched("1.2.0", "a", "b"), true],
  ["builds with different patches", patched("1.2.0", "a"), patched("1.2.0", "b"), true],
  ["a build of a later version that dropped a patch", patched("1.3.0", "b"), patched("1.2.0", "a", "b"), false],
  ["a build after one without patches", patched("1.2.0", "a"), build("1.2.0", "x"), false],
] as const)("judges %s", (_, own, current, expected) => {
  expect(isOlderBuild(own, current)).toBe(expected)
})

it("finds the patches in the code of a bundle", () => {
  const code = `if ((0, workflow_1.patched)("one-change") || (0,n.patched)('another')) patched("one-change"); unpatched("no")`
  expect(patchesIn(code)).toEqual(["another", "one-change"])
})
