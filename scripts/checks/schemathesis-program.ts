import { homedir } from "node:os"
import path from "node:path"

export const schemathesisVersion = "4.32.5"

/** Where the program that tries the OpenAPI document is kept once it was installed. */
export const schemathesisProgram = (env: NodeJS.ProcessEnv): { readonly folder: string; readonly program: string } => {
  const root = env["XDG_CACHE_HOME"] || path.join(env["HOME"] || homedir(), ".cache")
  const folder = path.join(root, "adjutant", `schemathesis-${schemathesisVersion}`)
  return { folder, program: path.join(folder, "bin", "schemathesis") }
}
