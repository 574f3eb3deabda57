import path from "node:path"
import { userCache } from "./user-cache.ts"

/** Programs of PyPI that tests use, each with the packages of its virtual environment. */
const packages = {
  schemathesis: ["schemathesis==4.32.5"],
  litellm: ["litellm[proxy]==1.108.7"],
  inspect: ["inspect-ai==0.3.285", "openai==3.57.0", "anthropic==2.14.0"],
  "mcp-fuzzer": ["mcp-fuzzer==0.7.0"],
  pytest: ["pytest-genai-semconv==0.1.0", "pytest==9.0.2", "opentelemetry-sdk==1.39.1", "opentelemetry-proto==1.39.1"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>

export type PythonProgram = keyof typeof packages

export const isPythonProgram = (name: string): name is PythonProgram => Object.hasOwn(packages, name)

export const pythonPrograms: readonly PythonProgram[] = Object.keys(packages).filter((name) => isPythonProgram(name))

/** Where a program is installed, and the packages that contain it. */
export interface PythonInstallation {
  readonly folder: string
  readonly program: string
  readonly packages: readonly string[]
}

/** Returns the paths of a program in the cache folder. A new version has a folder of its own. */
export const pythonInstallation = (name: PythonProgram, env: NodeJS.ProcessEnv): PythonInstallation => {
  const [, version = ""] = packages[name][0].split("==")
  const folder = path.join(userCache(env), `${name}-${version}`)
  return { folder, program: path.join(folder, "bin", name), packages: packages[name] }
}
