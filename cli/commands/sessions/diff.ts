import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { CommandModule, TargetCall } from "../command.ts"
import { printResult } from "../../text/print-result.ts"
import { plainText } from "../../terminal/plain-text.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"
import type { SessionDiff } from "../../../contracts/delegation/worktree.ts"

/** Returns the patch without the end of its last line, which is printed after it. */
const patchText = ({ patch, encoding }: SessionDiff): string =>
  (encoding === "base64" ? Buffer.from(patch, "base64").toString("utf8") : patch).replace(/\n$/, "")

const exactly = "get it exactly from `patch` of --output json, which is base64"
const withoutSecrets = "secrets were removed from the diff"
const mergeInstead = "git apply would write the mark in their place: let the parent merge the changes"

const warningsOf = ({ session_id, encoding, is_whole, is_redacted }: SessionDiff): readonly string[] => [
  ...(is_whole ? [] : [`a part of the diff of ${session_id} is not kept as it was, because it was merged`]),
  ...(encoding === "base64" ? [`the diff contains bytes that are no text: ${exactly}`] : []),
  ...(is_redacted ? [`${withoutSecrets}, so that it is no patch: ${mergeInstead}`] : []),
]

/** Requires a diff with which `git apply` makes the changes: what a pipe gets may be applied without anybody looking at it. */
const requireExact = ({ session_id, encoding, is_redacted }: SessionDiff): void => {
  if (encoding === "base64")
    throw new AdjutantError("invalid_argument", `the diff of ${session_id} contains bytes that are no text: ${exactly}`)
  if (is_redacted)
    throw new AdjutantError(
      "invalid_argument",
      `${withoutSecrets} of ${session_id}, and ${mergeInstead}; to read the diff, print it at a terminal, or use --output json`,
    )
}

export const diffCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "diff",
    "Print what a sub-agent changed in its git worktree, whole, as a patch that git apply accepts",
  ).action(
    run.onTask("reading", async (context, { client }, { sessionId }: TargetCall<TargetFlags>) => {
      const { io } = context
      const diff = await client.diff(sessionId)
      if (context.options.output === "text" && io.stdout.isTTY !== true) requireExact(diff)
      // A terminal must not be controlled by a file; a pipe gets the patch as it is.
      printResult(context, diff, () => (io.stdout.isTTY === true ? plainText(patchText(diff)) : patchText(diff)))
      if (context.options.output === "text")
        for (const warning of warningsOf(diff)) io.stderr.write(`adjutant: ${warning}\n`)
      return 0
    }),
  )
}
