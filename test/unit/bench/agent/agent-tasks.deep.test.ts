import { expect, it } from "vitest"
import { agentTasks } from "../../../../bench/agent/agent-tasks.ts"
import { createTaskRepository } from "../../../../bench/agent/task-repository.ts"

it("are ten different ones", () => {
  expect(new Set(agentTasks.map(({ name }) => name)).size).toBe(10)
})

it.each(agentTasks)("$name is not solved before, and solved by its reference", async (task) => {
  await using repository = await createTaskRepository(task)
  expect((await repository.isSolved()).isOk).toBe(false)
  const solved = await repository.run(task.reference)
  expect(solved.isOk, solved.output).toBe(true)
  const checked = await repository.isSolved()
  expect(checked.isOk, checked.output).toBe(true)
})
