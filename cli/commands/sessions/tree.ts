import { setTimeout as delay } from "node:timers/promises"
import type { SessionTree } from "../../../sessions/view/inspect-tree.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import type { CommandModule } from "../command.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { printResult } from "../../text/print-result.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { treeText } from "../../text/tree-text.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"

interface TreeFlags extends TargetFlags {
  readonly watch?: boolean
}

const treePollMs = 500

const isOver = (node: SessionTree): boolean => isFinal(node.status) && node.children.every(isOver)

/** Shows the tree again whenever it changes: in place on a terminal, otherwise one after another. */
const watchTree = async (context: CliContext, { client }: SessionHost, sessionId: string): Promise<void> => {
  const { io, interrupts, options } = context
  const inPlace = io.stdout.isTTY === true && options.output === "text"
  let shown = ""
  while (!interrupts.signal.aborted) {
    const tree = await client.tree(sessionId)
    const text = treeText(tree)
    if (text !== shown) {
      if (inPlace && shown !== "") io.stdout.write(`\u001B[${shown.split("\n").length}A\u001B[J`)
      printResult(context, tree, () => text)
      shown = text
    }
    if (isOver(tree)) return
    await delay(treePollMs, undefined, { signal: interrupts.signal }).catch(() => undefined)
  }
}

export const treeCommand: CommandModule = (program, run) => {
  targetCommand(program, "tree", "Show a task and everything below it")
    .option("--watch", "Show the tree again whenever it changes, until every task in it has ended")
    .action(
      run.onTarget<TreeFlags>(async (context, host, { sessionId, flags }) => {
        if (flags.watch === true) {
          await watchTree(context, host, sessionId)
          return 0
        }
        const tree = await host.client.tree(sessionId)
        printResult(context, tree, (paint) => treeText(tree, paint))
        return 0
      }),
    )
}
