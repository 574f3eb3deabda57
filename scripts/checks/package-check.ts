import assert from "node:assert/strict"
import type { InstalledPackage } from "./installed-package.ts"

export interface PackageCheck {
  readonly name: string
  readonly check: (installed: InstalledPackage) => Promise<void>
}

/** Returns what a program printed; throws where it failed. */
export const succeed = ({ exitCode, stdout, stderr }: Awaited<ReturnType<InstalledPackage["run"]>>): string => {
  assert.equal(exitCode, 0, `exit code ${exitCode}\n${stdout}\n${stderr}`)
  return stdout
}
