import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { CommandModule } from "../../program/command.ts"
import { printResult } from "../../print-result.ts"
import { plainText } from "../../text/plain-text.ts"
import { targetCommand, type TargetFlags } from "../../target-command.ts"
import type { SessionDiff } from "../../../contracts/delegation/worktree.ts"

/** Returns the patch without the end of its last line, which is printed after it. */
const patchText = ({ patch, encoding }: SessionDiff): string =>
  (encoding === "base64" ? Buffer.from(patch, "base64").toString("utf8") : patch).replace(/\n$/, "")

const exactly = "get it exactly from `patch` of --output json, which is base64"

const warningsOf = ({ session_id, encoding, is_whole }: SessionDiff): readonly string[] => [
  ...(is_whole ? [] : [`a part of the diff of ${session_id} is not kept as it was, because it was merged`]),
  ...(encoding === "base64" ? [`the diff contains bytes that are no text: ${exactly}`] : []),
]

export const diffCommand: CommandModule = (program, run) => {
  targetCommand(
    program,
    "diff",
    "Print what a sub-agent changed in its git worktree, whole, as a patch that git apply accepts",
  ).action(
    run.readTask<TargetFlags>(async (context, { client }, { sessionId }) => {
      const { io } = context
      const diff = await client.diff(sessionId)
      if (diff.encoding === "base64" && context.options.output === "text" && io.stdout.isTTY !== true)
        throw new AdjutantError(
          "invalid_argument",
          `the diff of ${sessionId} contains bytes that are no text: ${exactly}`,
        )
      // A terminal must not be controlled by a file; a pipe gets the patch as it is.
      printResult(context, diff, () => (io.stdout.isTTY === true ? plainText(patchText(diff)) : patchText(diff)))
      if (context.options.output === "text")
        for (const warning of warningsOf(diff)) io.stderr.write(`adjutant: ${warning}\n`)
      return 0
    }),
  )
}
