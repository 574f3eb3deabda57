import { existsSync, readFileSync } from "node:fs"

/** What the client prints before it exits. */
export class Refusal extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Options of a command: true for those with a value. */
export type Grammar = Readonly<Record<string, boolean>>

export interface Parsed {
  readonly options: ReadonlyMap<string, readonly string[]>
  readonly rest: readonly string[]
}

/**
 * Parses leading options, written as `--name value`, `--name=value` or `--name`; everything from the first
 * other word on is left unchanged.
 */
export const parse = (args: readonly string[], grammar: Grammar, exitCode: number): Parsed => {
  const options = new Map<string, string[]>()
  const queue = [...args]
  while (queue[0]?.startsWith("-")) {
    const word = queue.shift() ?? ""
    const [, name = "", inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? []
    const takesValue = Object.hasOwn(grammar, name) ? grammar[name] : undefined
    if (takesValue === undefined) throw new Refusal(`unknown flag: ${word}`, exitCode)
    const value = takesValue ? (inline ?? queue.shift()) : "true"
    if (value === undefined) throw new Refusal(`flag needs an argument: --${name}`, exitCode)
    options.set(name, [...(options.get(name) ?? []), value])
  }
  return { options, rest: queue }
}

export const runGrammar: Grammar = {
  rm: false,
  init: false,
  interactive: false,
  "read-only": false,
  "no-healthcheck": false,
  pull: true,
  name: true,
  label: true,
  "log-driver": true,
  "stop-signal": true,
  "cap-drop": true,
  "cap-add": true,
  "security-opt": true,
  user: true,
  userns: true,
  network: true,
  "pids-limit": true,
  memory: true,
  "memory-swap": true,
  ulimit: true,
  mount: true,
  tmpfs: true,
  workdir: true,
  env: true,
  "env-file": true,
  entrypoint: true,
}

const patterns: Readonly<Record<string, RegExp>> = {
  pull: /^(always|missing|never)$/,
  name: /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/,
  label: /^[^=]+=/,
  "log-driver": /^(none|json-file|local)$/,
  "stop-signal": /^SIG[A-Z]+$/,
  "cap-drop": /^(ALL|[A-Z_]+)$/,
  "cap-add": /^[A-Z_]+$/,
  "security-opt": /^(no-new-privileges(=true)?|label=disable)$/,
  user: /^\d+:\d+$/,
  userns: /^host$/,
  network: /^(none|bridge)$/,
  "pids-limit": /^\d+$/,
  memory: /^\d{7,}$/,
  "memory-swap": /^\d{7,}$/,
  ulimit: /^(core|cpu|fsize)=\d+(:\d+)?$/,
  tmpfs: /^\/[^:]*(:[a-z0-9=]+(,[a-z0-9=]+)*)?$/,
  workdir: /^\//,
  env: /^[^=]/,
}

export const checkValues = ({ options }: Parsed): void => {
  for (const [name, values] of options)
    for (const value of values)
      if (patterns[name] !== undefined && !patterns[name].test(value))
        throw new Refusal(`invalid argument "${value}" for "--${name}" flag`, 125)
}

/**
 * Parses one record of comma-separated values: a field that starts with a quote ends with one, and quotes
 * inside are doubled.
 */
const csvFields = (line: string): readonly string[] => {
  const fields: string[] = []
  let rest = line
  for (;;) {
    const [whole = "", quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/.exec(rest) ?? []
    if (whole === "" && rest !== "" && !rest.startsWith(",")) throw new Refusal(`parse error in "${line}"`, 125)
    fields.push(quoted?.replaceAll('""', '"') ?? plain ?? "")
    if (rest.length === whole.length) return fields
    rest = rest.slice(whole.length + 1)
  }
}

const mountKeys = {
  bind: ["type", "source", "target", "readonly"],
  tmpfs: ["type", "target", "tmpfs-size", "tmpfs-mode", "readonly"],
}

export type Mount = Readonly<Record<string, string>>

export const parseMount = (line: string): Mount => {
  const mount = Object.fromEntries(
    csvFields(line).map((text) => [text.split("=")[0] ?? "", text.split("=").slice(1).join("=")]),
  )
  const { type } = mount
  const keys = type === "bind" || type === "tmpfs" ? mountKeys[type] : []
  const unknown = Object.keys(mount).find((key) => !keys.includes(key))
  if (unknown !== undefined) throw new Refusal(`unexpected key '${unknown}' in '${line}'`, 125)
  if (type === "bind" && !existsSync(mount["source"] ?? ""))
    throw new Refusal(
      `docker: Error response from daemon: invalid mount config for type "bind": bind source path does not exist: ${mount["source"]}`,
      125,
    )
  return mount
}

const fileEntries = (file: string): readonly string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.trimStart())
    .filter((line) => line !== "" && !line.startsWith("#"))

/**
 * Returns the variables of files, then of options. A name alone takes the client's value; if the client has
 * none, the container has none either.
 */
export const containerEnvironment = ({ options }: Parsed): Readonly<Record<string, string>> => {
  const entries = [...(options.get("env-file") ?? []).flatMap(fileEntries), ...(options.get("env") ?? [])]
  const env: Record<string, string> = {}
  for (const entry of entries) {
    const [name = "", ...values] = entry.split("=")
    const value = entry.includes("=") ? values.join("=") : process.env[name]
    if (value === undefined) delete env[name]
    else env[name] = value
  }
  return env
}
