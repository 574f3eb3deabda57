import type { CommandModule } from "../command.ts"
import { chooseTask } from "../../run/prompt/choose-task.ts"
import { resumeRun } from "../../run/resume-run.ts"
import { addDecisionFlags, addRunFlags, type ResumeFlags } from "../../run/run-flags.ts"
import { targetCommand, type TargetFlags } from "../../program/target-command.ts"

const examples = `
Examples:
  adjutant resume k3x9ab --approve-all
  adjutant resume k3x9ab --approve call_1 --reject call_2 --reason "use the staging cluster"
  adjutant resume k3x9ab "Yes, use the second option"`

export const resumeCommand: CommandModule = (program, run) => {
  const command = targetCommand(
    program,
    "resume",
    "Continue a paused task with decisions or an answer, or give a completed one its next instruction. At a terminal, it asks for what is missing",
    "[target]",
  ).argument("[text]", "the answer or the next instruction; `-` reads it from stdin")
  addDecisionFlags(addRunFlags(command))
    .addHelpText("after", examples)
    .action(
      run<ResumeFlags & TargetFlags>(async (context, { args: [named, text], flags }) => {
        const target = named ?? (await chooseTask(context))
        return await resumeRun(context, { target, parent: flags.parent, text, flags })
      }),
    )
}
