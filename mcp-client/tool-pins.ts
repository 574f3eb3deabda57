import { createHash, randomUUID } from "node:crypto"
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Tool as McpTool } from "@modelcontextprotocol/client"
import { z } from "zod"
import type { McpServerConfig } from "../contracts/config/config-services.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { canonicalJson } from "../domain/text/json/canonical-json.ts"
import { errorMessage, ignoreIfPresent, systemCode } from "../domain/text/error-message.ts"
import {
  toolListChange,
  toolListChangeText,
  type ToolHashes,
  type ToolListWarning,
} from "../domain/tools/tool-list-change.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Returns the hash of everything that a server says about each of its tools. Tools with the same name are hashed together. */
export const toolHashes = (tools: readonly McpTool[]): ToolHashes => {
  const byName = Map.groupBy(tools, ({ name }) => name)
  return new Map([...byName].map(([name, same]) => [name, sha256(canonicalJson(same))]))
}

const hashesSchema = z.array(z.tuple([z.string(), z.string()]))

const pinSchema = z.strictObject({
  version: z.literal(1),
  server: z.string(),
  /** The hashes of the first list, by the names of the tools. */
  tools: hashesSchema,
  pinned_at: z.iso.datetime(),
  /** The last list, if it was another one. */
  seen: hashesSchema.optional(),
})

type Pin = z.infer<typeof pinSchema>

/** The tools that MCP servers listed when they were first used. */
export interface ToolPins {
  /** Pins the first list of a server. Returns how a later list differs. Never rejects. */
  check(
    server: string,
    config: McpServerConfig,
    tools: readonly McpTool[],
  ): Promise<Omit<ToolListWarning, "server"> | undefined>
}

const folderIn = (dataDir: string): string => join(dataDir, "mcp-tools")

/**
 * Returns the name of a server's pin. It depends on what is started or called: if the configuration names another server under the same name, that one gets
 * a new pin.
 */
const pinName = (server: string, config: McpServerConfig): string =>
  sha256(canonicalJson("url" in config ? [server, config.url] : [server, config.command, config.args, config.cwd]))

const readPin = async (file: string): Promise<Pin | undefined> => {
  try {
    return pinSchema.parse(JSON.parse(await readFile(file, "utf8")))
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    throw new AdjutantError(
      "data_dir_unusable",
      `the pinned tools in ${file} cannot be read: ${systemCode(error) ?? "its content is not valid"}; remove the file, and the next list is pinned`,
      { cause: error },
    )
  }
}

/** Writes a pin to a draft and moves that into place, so that nobody reads half a pin. `put`: how it is moved, over an older pin or only if there is none. */
const writePin = async (file: string, pin: Pin, put: (draft: string, file: string) => Promise<void>): Promise<void> => {
  const draft = `${file}.${randomUUID()}.draft`
  try {
    await writeFile(draft, `${JSON.stringify(pin, null, 2)}\n`, { flag: "wx", mode: 0o600 })
    await put(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Pins a list unless another process was faster. Returns what is pinned. */
const pinFirst = async (file: string, pin: Pin): Promise<Pin> => {
  await writePin(file, pin, link).catch(ignoreIfPresent)
  return (await readPin(file)) ?? pin
}

const areSameTools = (left: ToolHashes | undefined, right: ToolHashes): boolean =>
  left !== undefined && toolListChange(left, right) === undefined

/** Stores a list that differs from the pinned one: `adjutant doctor` reports it without asking the server. */
const noteSeen = async (file: string, pin: Pin, listed: ToolHashes): Promise<void> => {
  const { seen, ...rest } = pin
  if (areSameTools(new Map(pin.tools), listed)) {
    if (seen !== undefined) await writePin(file, rest, rename)
  } else if (!areSameTools(seen === undefined ? undefined : new Map(seen), listed)) {
    await writePin(file, { ...rest, seen: [...listed] }, rename)
  }
}

export const createToolPins = (dataDir: string): ToolPins => {
  const folder = folderIn(dataDir)
  /** Lists that were equal to their pins; they are not compared again. Any other list is, because a person may have accepted it meanwhile. */
  const unchanged = new WeakSet<readonly McpTool[]>()

  const compare = async (server: string, config: McpServerConfig, listed: ToolHashes) => {
    const file = join(folder, `${pinName(server, config)}.json`)
    await mkdir(folder, { mode: 0o700 }).catch(ignoreIfPresent)
    const first: Pin = { version: 1, server, tools: [...listed], pinned_at: new Date().toISOString() }
    const pin = (await readPin(file)) ?? (await pinFirst(file, first))
    await noteSeen(file, pin, listed)
    const change = toolListChange(new Map(pin.tools), listed)
    return change === undefined ? undefined : { ...change, message: toolListChangeText(server, pin.pinned_at, change) }
  }

  return {
    async check(server, config, tools) {
      if (unchanged.has(tools)) return undefined
      const listed = toolHashes(tools)
      const list = sha256(canonicalJson(Object.fromEntries(listed)))
      try {
        const found = await compare(server, config, listed)
        if (found === undefined) unchanged.add(tools)
        return found === undefined ? undefined : { ...found, list }
      } catch (error) {
        const message = `the tools of MCP server ${server} could not be compared with the pinned ones: ${errorMessage(error)}`
        return { added: [], removed: [], changed: [], message, list }
      }
    },
  }
}

/** Returns every pin of a data directory with its file. */
const pinsIn = async (dataDir: string): Promise<readonly { readonly file: string; readonly pin: Pin }[]> => {
  const folder = folderIn(dataDir)
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return []
    throw error
  })
  const files = names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name))
  const pins = await Promise.all(files.map(async (file) => ({ file, pin: await readPin(file) })))
  return pins.flatMap(({ file, pin }) => (pin === undefined ? [] : [{ file, pin }]))
}

/** What a data directory has pinned of one server. */
export interface PinnedServer {
  readonly server: string
  readonly pinnedAt: string
  readonly tools: number
  /** How the last list differs; undefined if it does not. */
  readonly warning?: Omit<ToolListWarning, "server" | "list">
}

const pinnedServer = ({ server, pinned_at, tools, seen }: Pin): PinnedServer => {
  const change = seen === undefined ? undefined : toolListChange(new Map(tools), new Map(seen))
  const pinned = { server, pinnedAt: pinned_at, tools: tools.length }
  return change === undefined
    ? pinned
    : { ...pinned, warning: { ...change, message: toolListChangeText(server, pinned_at, change) } }
}

/** Returns what is pinned in a data directory, in the order of the servers' names. @throws AdjutantError `data_dir_unusable` for a pin that cannot be read */
export const listToolPins = async (dataDir: string): Promise<readonly PinnedServer[]> =>
  (await pinsIn(dataDir))
    .map(({ pin }) => pinnedServer(pin))
    .toSorted((left, right) => (left.server < right.server ? -1 : 1))

/** Pins the last lists of a server in place of the earlier ones. Returns what was pinned before, with the changes that were accepted. */
export const acceptToolLists = async (dataDir: string, server: string): Promise<readonly PinnedServer[]> => {
  const pins = (await pinsIn(dataDir)).filter(({ pin }) => pin.server === server)
  for (const { file, pin } of pins) {
    const { seen, ...rest } = pin
    if (seen !== undefined) await writePin(file, { ...rest, tools: seen, pinned_at: new Date().toISOString() }, rename)
  }
  return pins.map(({ pin }) => pinnedServer(pin))
}
