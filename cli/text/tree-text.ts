import { counted } from "../../domain/text/figures.ts"
import type { SessionTree } from "../../sessions/view/inspect-tree.ts"
import { costText } from "./figures.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { paintedStatus } from "./session-text.ts"

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
export const treeText = (root: SessionTree, paint: Paint = noPaint): string =>
  [nodeText(root, paint), ...below(root.children, "", paint)].join("\n")
