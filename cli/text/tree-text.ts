import type { SessionTree } from "../../sessions/view/session-tree.ts"
import { costText, stepsText } from "./figures.ts"
import { oneLine } from "./plain-text.ts"
import { statusText } from "./session-text.ts"

const nodeText = (node: SessionTree): string => {
  const waits = (node.pause_reason?.pending_tool_calls ?? []).map((call) => oneLine(call.name, 40))
  return [
    `${node.id}  ${statusText(node)}  ${node.agent}`,
    stepsText(node.steps_taken),
    ...(node.usage.cost_usd === null ? [] : [costText(node.usage.cost_usd)]),
    ...(waits.length === 0 ? [] : [`waiting for a decision: ${waits.join(", ")}`]),
    ...(node.title === null ? [] : [oneLine(node.title, 60)]),
  ].join(" · ")
}

const below = (nodes: readonly SessionTree[], indent: string): readonly string[] =>
  nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1
    return [
      `${indent}${isLast ? "└─ " : "├─ "}${nodeText(node)}`,
      ...below(node.children, `${indent}${isLast ? "   " : "│  "}`),
    ]
  })

/** Returns a task and everything below it, one line each. */
export const treeText = (root: SessionTree): string => [nodeText(root), ...below(root.children, "")].join("\n")
