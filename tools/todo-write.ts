import { todoWriteInputSchema } from "../contracts/tool-input.ts"
import { defineTool, type Todo } from "./tool.ts"
import { answeringFailures } from "./tool-failure.ts"

const boxes: Readonly<Record<Todo["status"], string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" }

const advice = (todos: readonly Todo[]): string => {
  const started = todos.filter((todo) => todo.status === "in_progress").length
  if (started > 1) return "\nMore than one item is in progress; keep exactly one, the one that you are working on."
  if (started === 0 && todos.some((todo) => todo.status === "pending"))
    return "\nMark the item that you start with as in_progress."
  return ""
}

export const todoWrite = defineTool({
  name: "TodoWrite",
  description: `Stores your list of tasks in this session. Each call replaces the complete list.
- Use it for work with three or more steps, or for several requests; not for a single simple step.
- Keep exactly one item in_progress. Mark an item completed as soon as it is really done, including tests, and not before. If you are stuck, leave it in_progress and add the obstacle as a new item.
- Add items that you discover; remove items that are no longer needed.`,
  input: todoWriteInputSchema,
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: answeringFailures(async (input, context) => {
    await context.todos.write(input.todos)
    if (input.todos.length === 0) return { content: "The list is empty now." }
    const lines = input.todos.map((todo) => `${boxes[todo.status]} ${todo.content}`)
    return { content: `The list is now:\n${lines.join("\n")}${advice(input.todos)}` }
  }),
})
