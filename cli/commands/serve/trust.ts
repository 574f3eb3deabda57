import { describeReview, reviewedText } from "../../../config/trust/describe-review.ts"
import { dangerKey, type TrustReview, acceptTrust, reviewTrust } from "../../../config/trust/review-trust.ts"
import { loadConfig } from "../../../config/load-config.ts"
import { listTrust, revokeTrust } from "../../../config/trust/trust-store.ts"
import type { CliContext } from "../../program/cli-context.ts"
import type { CommandModule } from "../command.ts"
import type { ExitCode } from "../../terminal/exit-code.ts"
import { printResult } from "../../text/print-result.ts"
import { table } from "../../text/table.ts"
import { trustOptions } from "../../program/trust-options.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"
import { realpath, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { findOwnProject } from "../../../config/find-project.ts"
import { configFileName } from "../../../domain/workspace/protected-paths.ts"
import { readConfig, shownName } from "../../../config/read-config.ts"

/** Returns the folder that a path means: itself, or that of the configuration file. */
const folderOf = async (cwd: string, path: string): Promise<string> => {
  const wanted = resolve(cwd, path)
  const isFolder = await stat(wanted).then(
    (found) => found.isDirectory(),
    () => basename(wanted) !== configFileName,
  )
  return isFolder ? wanted : dirname(wanted)
}

/** Returns what the configuration of a project needs trust for. Rejects with `invalid_argument` if the project has none. */
const reviewProject = async (context: CliContext, path = "."): Promise<TrustReview> => {
  const { cwd, env } = context
  const folder = await folderOf(cwd, path)
  const { configPath, projectRoot } = await findOwnProject(folder, env)
  if (configPath === null) throw wrongUsage(`${folder} has no ${configFileName}, and so needs no trust`)
  const { confinesCommands } = trustOptions(context)
  return reviewTrust({ ...(await readConfig(configPath, cwd)), configPath, projectRoot, env, confinesCommands })
}

/** Stores the trust in a reviewed configuration. A person at the terminal confirms it first. Returns whether it is trusted. */
const trustReviewed = async (context: CliContext, review: TrustReview): Promise<boolean> => {
  if (review.state !== "new" && review.state !== "changed") return true
  const { ask, isGiven } = trustOptions(context)
  const name = shownName(context.cwd, review.configPath)
  const isWanted =
    ask === undefined || isGiven === true || (await ask(`${name} will be trusted`, describeReview(review)))
  if (isWanted) await acceptTrust(review, context.env)
  return isWanted
}

/** Withdraws the trust in the configuration of a project, which can be gone. Returns the path of the configuration file. */
const revokeProject = async ({ cwd, env }: CliContext, path = "."): Promise<string> => {
  const folder = await folderOf(cwd, path)
  const project = await findOwnProject(folder, env).catch(() => undefined)
  const gone = join(await realpath(folder).catch(() => folder), configFileName)
  const configPath = project?.configPath ?? gone
  if (!(await revokeTrust(env, configPath)))
    throw wrongUsage(`${configPath} was not trusted; run "adjutant trust --list"`)
  return configPath
}

interface TrustFlags {
  readonly list?: boolean
  readonly revoke?: boolean
  readonly mcpTools?: string
}

const conclusions = {
  harmless: "needs no trust: no key of it runs programs, names secrets or servers, or loosens a limit",
  example: "needs no trust: it is an example of Adjutant",
  trusted: "is already trusted",
  changed: "is trusted again",
  new: "is trusted",
} as const satisfies Record<TrustReview["state"], string>

const trustProject = async (context: CliContext, path: string | undefined): Promise<ExitCode> => {
  const review = await reviewProject(context, path)
  const isTrusted = await trustReviewed(context, review)
  const keys = review.dangers.map((danger) => ({ key: dangerKey(danger), reason: danger.kind, value: danger.value }))
  const document = {
    path: review.configPath,
    state: review.state,
    trusted: isTrusted,
    keys,
    files: Object.keys(review.files),
  }
  printResult(context, document, () => {
    const file = reviewedText(review.configPath)
    if (!isTrusted) return `${file} is not trusted`
    return [...describeReview(review), `${file} ${conclusions[review.state]}`].join("\n")
  })
  return isTrusted ? 0 : 1
}

const listTrusted = async (context: CliContext): Promise<ExitCode> => {
  const items = (await listTrust(context.env)).map(({ path, trusted_at }) => ({ path, trusted_at }))
  printResult(context, { items, next_cursor: null }, () =>
    items.length === 0
      ? "No configuration is trusted."
      : table(
          ["TRUSTED", "CONFIGURATION"],
          items.map((item) => [item.trusted_at, reviewedText(item.path)]),
        ),
  )
  return 0
}

const revokeTrusted = async (context: CliContext, path: string | undefined): Promise<ExitCode> => {
  const revoked = await revokeProject(context, path)
  printResult(context, { path: revoked, trusted: false }, () => `${reviewedText(revoked)} is no longer trusted`)
  return 0
}

/** Pins the tools that an MCP server listed last, in place of the earlier ones. */
const acceptTools = async (context: CliContext, server: string): Promise<ExitCode> => {
  const { cwd, env, options } = context
  const { dataDir } = await loadConfig({
    cwd,
    env,
    configPath: options.config,
    dataDir: options.dataDir,
    trust: trustOptions(context),
  })
  const { acceptToolLists } = await import("../../../worker/probe/tool-pins.ts")
  const pinned = await acceptToolLists(dataDir, server)
  if (pinned.length === 0)
    throw wrongUsage(
      `no tools of an MCP server ${reviewedText(server)} are pinned; run "adjutant doctor" to see which are`,
    )
  const changes = pinned.flatMap(({ warning }) => (warning === undefined ? [] : [warning]))
  const names = (kind: "added" | "removed" | "changed"): readonly string[] => changes.flatMap((change) => change[kind])
  const document = { server, added: names("added"), removed: names("removed"), changed: names("changed") }
  printResult(context, document, () =>
    changes.length === 0
      ? `the tools of MCP server ${reviewedText(server)} are already the pinned ones`
      : [
          ...changes.map(({ message }) => reviewedText(message)),
          `the tools of ${reviewedText(server)} are pinned again`,
        ].join("\n"),
  )
  return 0
}

export const trustCommand: CommandModule = (program, run) => {
  program
    .command("trust")
    .description("Accept the configuration of a project until it or a program that it names changes")
    .argument("[path]", "the project's directory, or its adjutant.config.yaml (default: the working directory)")
    .option("--list", "List the trusted configurations")
    .option("--revoke", "Remove the project from the trusted ones")
    .option("--mcp-tools <server>", "Accept the tools that this MCP server lists now, in place of the pinned ones")
    .action(
      run<TrustFlags>(async (context, { args: [path], flags }) => {
        if (flags.mcpTools !== undefined) {
          if (flags.list === true || flags.revoke === true || path !== undefined)
            throw wrongUsage("--mcp-tools cannot be combined with a path, --list or --revoke")
          return acceptTools(context, flags.mcpTools)
        }
        if (flags.list !== true)
          return flags.revoke === true ? revokeTrusted(context, path) : trustProject(context, path)
        if (flags.revoke === true || path !== undefined) throw wrongUsage("--list has no path and no --revoke")
        return listTrusted(context)
      }),
    )
}
