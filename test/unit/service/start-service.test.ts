import { expect, it } from "vitest"
import { packageRoot } from "../../../config/package-root.ts"
import { requireProgram } from "../../../service/start-service.ts"

it("finds the program of this package", () => {
  expect(requireProgram(packageRoot())).toBe(`${packageRoot()}/bin/adjutant.js`)
})

it("says what to do if the package has no program", () => {
  expect(() => requireProgram("/nowhere")).toThrow(
    "its program /nowhere/bin/adjutant.js does not exist: install the package adjutant again, or, if a bundle contains it, leave it out of the bundle",
  )
})
