import { expect, it } from "vitest"
import { refuseOlderBuild } from "../../../../worker/polling/refuse-older-build.ts"

const build = (version: string, ...patches: readonly string[]) => ({
  buildId: `${version} ${patches.join(" ")}`,
  version,
  patches,
})

it("refuses the histories of a later version, and of a build with a change that this one lacks", () => {
  const refusal = (own: Parameters<typeof refuseOlderBuild>[0], current: typeof own) => {
    try {
      return refuseOlderBuild(own, current)
    } catch (error) {
      return error
    }
  }
  expect(refusal(build("1.0.0"), build("1.1.0"))).toMatchObject({
    code: "no_worker",
    message: expect.stringContaining("last executed by Adjutant 1.1.0, and this is 1.0.0"),
  })
  expect(refusal(build("1.0.0", "a"), build("1.0.0", "a", "b"))).toMatchObject({
    code: "no_worker",
    message: expect.stringContaining("with the changes b, which this build lacks"),
  })
})

it("accepts a store that no worker has served, and one of an earlier build", () => {
  expect(() => refuseOlderBuild(build("1.0.0"), undefined)).not.toThrow()
  expect(() => refuseOlderBuild(build("1.1.0"), build("1.0.0", "a"))).not.toThrow()
})
