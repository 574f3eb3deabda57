import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { Environment } from "../domain/environment.ts"
import { isRecord } from "../domain/text/is-record.ts"

/** What a command writes to the standard input of a service that it starts. It contains secrets, and stays in memory. */
export interface ServiceStart {
  readonly cwd: string
  /** Options of the command line. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Returns the variables that are set. */
export const givenVariables = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The last option of a service that reads a `ServiceStart`. */
export const fromStdin = "--from-stdin"

const isText = (value: unknown): value is string => typeof value === "string"

// This module is loaded by every command, so it parses without a schema.
const isStart = (value: unknown): value is ServiceStart =>
  isRecord(value) &&
  isText(value["cwd"]) &&
  Array.isArray(value["argv"]) &&
  value["argv"].every(isText) &&
  isRecord(value["env"]) &&
  Object.values(value["env"]).every(isText)

/** Returns whether this process is a service that a command has started, which outlives the terminal of that command. */
export const isStartedService = (argv: readonly string[]): boolean => argv[0] === "service" && argv.at(-1) === fromStdin

/** Returns what the command that started this process gave to it; undefined if this process is not a service that a command has started. */
export const readServiceStart = async (
  argv: readonly string[],
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<ServiceStart | undefined> => {
  if (!isStartedService(argv)) return undefined
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"))
  if (!isStart(value)) throw new AdjutantError("invalid_argument", `only commands start a service with ${fromStdin}`)
  return value
}
