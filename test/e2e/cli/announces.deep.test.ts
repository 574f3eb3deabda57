import { appendFile } from "node:fs/promises"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"
import { createProject } from "./program.ts"

it("a run announces its pause, and then its end, and in CI has done so when it exits", async () => {
  const receiver = await startReceiver()
  const project = await createProject(
    {
      main: {
        turns: [
          { reply: { tool_calls: [{ id: "w", name: "Write", arguments: { file_path: "a.txt", content: "a" } }] } },
          { reply: { tool_calls: [{ id: "f", name: "finish", arguments: { result: "Written." } }] } },
        ],
      },
    },
    { HOOK_SECRET: receiverSecret, ADJUTANT_TRUST: "1", CI: "true" },
  )
  onTestFinished(() => project.remove())
  const webhooks = [{ url: receiver.url, secretEnv: "HOOK_SECRET" }]
  await appendFile(path.join(project.cwd, "adjutant.config.yaml"), `webhooks: ${JSON.stringify(webhooks)}\n`)

  const paused = await project.run("run", "--pause-on-approval", "--output", "json", "Write it.")
  expect(paused).toMatchObject({ code: 10 })
  const { task_id: id, checkpoint_id: checkpoint } = JSON.parse(paused.stdout)
  expect(receiver.effects).toMatchObject([{ body: { type: "run-paused", pause: { checkpoint_id: checkpoint } } }])

  expect(await project.run("run", "-c", checkpoint, "--approve-all")).toMatchObject({ code: 0 })
  expect(receiver.effects.at(-1)?.body).toMatchObject({
    type: "run-finished",
    session: { id },
    result: { status: "completed", final_message: "Written." },
  })

  const listed = JSON.parse((await project.run("deliveries", "--output", "json")).stdout)
  expect(listed.items).toMatchObject([
    { type: "run-finished", status: "delivered", attempts: 1 },
    { type: "run-paused", status: "delivered", attempts: 1 },
  ])
  expect((await project.run("retry", "dlv_none")).code).toBe(2)
})
