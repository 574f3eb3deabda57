import { release } from "node:os"
import { createSecretRedact } from "../../config/secrets/secrets.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { configSchema } from "../../contracts/config/config.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { lastLogLines } from "../../service/service-log.ts"
import { serviceFiles } from "../../service/service-files.ts"
import { openStoreAsIs } from "../../store/open-store.ts"
import type { SessionRow } from "../../store/store.ts"
import { packageVersion } from "../../worker/package-version.ts"
import { findingsText } from "../doctor/findings-text.ts"
import { examine } from "../doctor/examine.ts"
import type { CliContext } from "../program/cli-context.ts"
import { loadHostConfig } from "../program/load-host-config.ts"
import { logEntries } from "./log-entries.ts"
import { z } from "zod"
import { isRecord } from "../../domain/text/is-record.ts"

/** A file of a bundle for a report about a problem. */
export interface BundleFile {
  readonly name: string
  readonly content: string
}

/** An absolute path. What follows a letter, a colon or a slash belongs to an address. */
const absolutePath = /(?<![\w:/.])\/[^\s"'`,;()<>|[\]{}]+/g

/**
 * Returns a function that removes from a text what a bundle for others must not contain: secrets, the given folders, and every other absolute path.
 * Folders can contain spaces, by which a path could not be recognised.
 */
const createCleanText = (redact: Redact, folders: readonly string[]): ((text: string) => string) => {
  const known = [...new Set(folders)].filter((folder) => folder.length > 1).toSorted((a, b) => b.length - a.length)
  return (text) =>
    known
      .reduce((clean, folder) => clean.replaceAll(folder, "<folder>"), redact(text))
      .replaceAll(/<folder>[^\s"'`,;()<>|[\]{}]*/g, "<path>")
      .replaceAll(/file:\/\/\S+/g, "<path>")
      .replaceAll(absolutePath, "<path>")
}

const mostFailures = 50
const mostLogLines = 2_000

const versions = () => {
  const { node, v8, openssl, sqlite } = process.versions
  const { platform, arch } = process
  return { adjutant: packageVersion(), node, v8, openssl, sqlite, platform, arch, release: release() }
}

/** What a bundle says about a task: what happened, and none of its texts. */
const taskOutline = (row: SessionRow) => ({
  ...{ id: row.id, parent_id: row.parentId, agent: row.agent, model: row.model, status: row.status },
  ...{ stop_reason: row.stopReason, error_code: row.error?.code ?? null, steps_taken: row.stepsTaken },
  ...{ blocked_by: row.blockedBy?.type ?? null, created_at: row.createdAt, updated_at: row.updatedAt },
})

const storeSummary = async ({ config, dataDir }: LoadedConfig, env: CliContext["env"]) => {
  const store = await openStoreAsIs({ url: config.store.url, dataDir, env: { ...env } })
  if (store === undefined) return { problem: "there is no store, or its tables have another version" }
  try {
    const failed = await Promise.all(
      (["failed", "timed_out"] as const).map((status) =>
        store.sessions.list({ status, includeArchived: true, limit: mostFailures }),
      ),
    )
    const open = (await store.sessions.listOpen()).slice(0, mostFailures)
    return {
      sessions: await store.sessions.count({ includeArchived: true }),
      failed: failed.flatMap(({ items }) => items.map(taskOutline)),
      open: open.map(taskOutline),
    }
  } finally {
    await store.close()
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const wordsIn = (schema: unknown): readonly string[] => {
  if (Array.isArray(schema)) return schema.flatMap(wordsIn)
  if (!isRecord(schema)) return []
  const own = [schema["const"], ...(Array.isArray(schema["enum"]) ? schema["enum"] : [])]
  return [...own.filter((word) => typeof word === "string"), ...Object.values(schema).flatMap(wordsIn)]
}

/** The forms of texts that a bundle may contain: the name of an environment variable, and the id of a model. */
const isHarmlessName = (key: string, text: string): boolean =>
  (key.endsWith("Env") && /^[A-Z][A-Z0-9_]*$/.test(text)) || (key === "model" && /^[\w.:/@-]{1,100}$/.test(text))

/**
 * Returns a configuration without its free texts: its keys, numbers and switches, the words that a setting can only choose from, the
 * names of environment variables and the ids of models.
 */
const configShape = (config: unknown): unknown => {
  const words = new Set(wordsIn(z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" })))
  const shape = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return words.has(value) || isHarmlessName(key, value) ? value : "<text>"
    if (Array.isArray(value)) return value.map((each) => shape(each, key))
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each, name)]))
  }
  return shape(config, "")
}

/** Returns a part of the bundle, or why it could not be read. One part that fails does not keep the others out. */
const orProblem = async <T>(read: () => T | Promise<T>): Promise<T | { readonly problem: string }> => {
  try {
    return await read()
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}

/**
 * Returns the files of a bundle for a report about a problem: versions, the shape of the configuration, what doctor finds, the latest failures and
 * the warnings of the service's log. None has a secret, a path, or a text of a task.
 */
export const collectBundle = async (context: CliContext): Promise<readonly BundleFile[]> => {
  const { env, cwd } = context
  const findings = await examine(context)
  const loaded = await loadHostConfig(context, { isReading: true }).catch(() => undefined)
  const known = loaded ?? { config: configSchema.parse({}), models: {} }
  const folders = [env["HOME"], cwd, loaded?.dataDir, loaded?.projectRoot].filter((each) => each !== undefined)
  const clean = createCleanText(createSecretRedact(known, env), folders)
  const health = `${findingsText(findings)}\n`.replaceAll(/"(?!adjutant )[^"\n]*"/g, '"…"')
  const files: readonly BundleFile[] = [
    { name: "versions.json", content: json(versions()) },
    { name: "health.txt", content: health },
    ...(loaded === undefined
      ? []
      : [
          { name: "configuration.json", content: json(configShape(loaded.config)) },
          { name: "tasks.json", content: json(await orProblem(() => storeSummary(loaded, env))) },
          {
            name: "log.json",
            content: json(
              await orProblem(() => logEntries(lastLogLines(serviceFiles(loaded.dataDir).log, mostLogLines))),
            ),
          },
        ]),
  ]
  return files.map(({ name, content }) => ({ name, content: clean(content) }))
}
