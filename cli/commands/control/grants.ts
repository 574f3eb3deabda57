import { InvalidArgumentError } from "commander"
import type { Grant } from "../../../contracts/http/grants.ts"
import { parseDuration } from "../../../domain/text/duration.ts"
import { commandLineActor } from "../../../service/command-line-actor.ts"
import { printResult } from "../../text/print-result.ts"
import type { CommandModule, TargetCall } from "../command.ts"
import { nonEmpty } from "../../program/option-parsers.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { table } from "../../text/table.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

interface GrantFlags extends TargetFlags {
  readonly arg?: readonly string[]
  readonly expires?: number
}

/** As the model wrote them, spaces at the ends included. */
const collectArguments = (value: string, previous: readonly string[] | undefined): readonly string[] => {
  if (!/^[^=]+=./.test(value)) throw new InvalidArgumentError("use <name>=<pattern>")
  return [...(previous ?? []), value]
}

const seconds = (text: string): number => {
  const ms = parseDuration(text)
  if (ms === undefined || ms < 1_000) throw new InvalidArgumentError("use a duration such as 30m, 8h or 2d")
  return Math.floor(ms / 1_000)
}

const patternsOf = (args: readonly string[] = []): Readonly<Record<string, string>> => {
  const pairs = args.map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)] as const)
  const patterns = Object.fromEntries(pairs)
  if (Object.keys(patterns).length < pairs.length) throw wrongUsage("--arg names an argument twice: use one pattern")
  return patterns
}

const maxShown = 200

const termsText = (grant: Grant): string => {
  const args = Object.entries(grant.arguments).map(([name, pattern]) => `${name}=${pattern}`)
  return oneLine(args.join(" "), maxShown)
}

const grantText = (grant: Grant): string =>
  `${grant.id}: ${grant.tool} ${termsText(grant)}, ${grant.state}, until ${grant.expires_at}`

export const grantCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "grant",
    "Let calls of one tool run without a decision if their arguments match patterns, for this task only",
  )
    .argument("<tool>", "exact name of the tool", nonEmpty)
    .option(
      "--arg <name=pattern>",
      "Require that the argument of this name matches the pattern; can be repeated",
      collectArguments,
    )
    .option("--expires <duration>", "End the grant after this time (default: 1h, at most 30d)", seconds)
    .action(
      run.onTask(
        "tasks",
        async (context, { client }, { sessionId, args: [tool = ""], flags }: TargetCall<GrantFlags>) => {
          const patterns = patternsOf(flags.arg)
          const actor = commandLineActor()
          const grant = await client.grant({ sessionId, tool, patterns, expiresInSeconds: flags.expires, actor })
          printResult(context, grant, () => grantText(grant))
          return 0
        },
      ),
    )
}

export const grantsCommand: CommandModule = (program, run) => {
  targetCommand(program, "grants", "List the grants of a task, with those that have expired or were revoked").action(
    run.onTask("reading", async (context, { client }, { sessionId }: TargetCall<TargetFlags>) => {
      const grants = await client.grants(sessionId)
      printResult(context, grants, () =>
        grants.items.length === 0
          ? "No grants."
          : table(
              ["ID", "STATE", "UNTIL", "BY", "TOOL", "ARGUMENTS"],
              grants.items.map((grant) => [
                ...[grant.id, grant.state, grant.expires_at, oneLine(grant.created_by, 40), grant.tool],
                termsText(grant),
              ]),
            ),
      )
      return 0
    }),
  )
}

export const revokeCommand: CommandModule = (program, run) => {
  targetCommand(program, "revoke", "Revoke a grant of a task: calls that have not started wait for a decision again")
    .argument("<grant>", "id of the grant", nonEmpty)
    .action(
      run.onTask("tasks", async (context, { client }, { sessionId, args: [grantId = ""] }: TargetCall<TargetFlags>) => {
        const grant = await client.revokeGrant(sessionId, grantId, commandLineActor())
        printResult(context, grant, () => grantText(grant))
        return 0
      }),
    )
}
