import { setTimeout as delay } from "node:timers/promises"
import type { SessionTree } from "../../../sessions/view/inspect-tree.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import type { CommandModule, TargetCall } from "../command.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { printResult } from "../../text/print-result.ts"
import type { SessionHost } from "../../host/hosts.ts"
import { costText } from "../../text/figures.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { paintedStatus } from "../../text/session-text.ts"
import { noPaint, type Paint } from "../../terminal/paint.ts"
import { counted } from "../../../domain/text/figures.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"

interface TreeFlags extends TargetFlags {
  readonly watch?: boolean
}

const nodeText = (node: SessionTree, paint: Paint): string => {
  const waits = (node.pause_reason?.pending_tool_calls ?? []).map((call) => oneLine(call.name, 40))
  return [
    `${node.id}  ${paintedStatus(node, paint)}  ${node.agent}`,
    counted(node.steps_taken, "step"),
    ...(node.usage.cost_usd === null ? [] : [costText(node.usage.cost_usd)]),
    ...(waits.length === 0 ? [] : [`waiting for a decision: ${waits.join(", ")}`]),
    ...(node.title === null ? [] : [oneLine(node.title, 60)]),
  ].join(" · ")
}

const below = (nodes: readonly SessionTree[], indent: string, paint: Paint): readonly string[] =>
  nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1
    return [
      `${indent}${isLast ? "└─ " : "├─ "}${nodeText(node, paint)}`,
      ...below(node.children, `${indent}${isLast ? "   " : "│  "}`, paint),
    ]
  })

/** Returns a task and everything below it, one line each. */
const treeText = (root: SessionTree, paint: Paint = noPaint): string =>
  [nodeText(root, paint), ...below(root.children, "", paint)].join("\n")

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
      run.onTask("engine", async (context, host, { sessionId, flags }: TargetCall<TreeFlags>) => {
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
