import { existsSync } from "node:fs"
import { pythonInstallation, type PythonInstallation, type PythonProgram } from "../../scripts/checks/python-program.ts"
import type { Need } from "./needs.ts"

/** Returns a program of PyPI as a need of tests. `npm run test:deep` installs it before a test file whose name begins with the program's. */
export const pythonProgram = (name: PythonProgram): Need & PythonInstallation => {
  const installation = pythonInstallation(name, process.env)
  return {
    ...installation,
    name: `${name}, which scripts/ensure-python-program.ts installs`,
    isAvailable: existsSync(installation.program),
  }
}
