import { homedir } from "node:os"
import path from "node:path"

export const schemathesisVersion = "4.32.5"

/** Returns the paths of the installed program that tests the OpenAPI document. */
export const schemathesisProgram = (env: NodeJS.ProcessEnv): { readonly folder: string; readonly program: string } => {
  const root = env["XDG_CACHE_HOME"] || path.join(env["HOME"] || homedir(), ".cache")
  const folder = path.join(root, "adjutant", `schemathesis-${schemathesisVersion}`)
  return { folder, program: path.join(folder, "bin", "schemathesis") }
}
