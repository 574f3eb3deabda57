import assert from "node:assert/strict"
import type { InstalledPackage } from "./installed-package.ts"

export interface PackageCheck {
  readonly name: string
  readonly check: (installed: InstalledPackage) => Promise<void>
}

/** Returns the output of a program; throws if it failed. */
export const succeed = ({ exitCode, stdout, stderr }: Awaited<ReturnType<InstalledPackage["run"]>>): string => {
  assert.equal(exitCode, 0, `exit code ${exitCode}\n${stdout}\n${stderr}`)
  return stdout
}
