import type { CommandModule } from "../../program/command.ts"
import { resumeRun } from "../../run/resume-run.ts"
import { addDecisionFlags, addRunFlags, type RunFlags } from "../../run/run-flags.ts"
import { startRun } from "../../run/start-run.ts"
import { nonEmpty } from "../../program/option-parsers.ts"

const examples = `
Examples:
  adjutant run "List the TODO comments of this project" --watch
  adjutant run -a --pause-on-approval "Deploy to staging" --output json
  adjutant run -c <checkpoint_id> --approve <call id>
  git diff | adjutant run -`

export const runCommand: CommandModule = (program, run) => {
  const command = program
    .command("run")
    .description("Gives an agent an instruction, and follows it until it is final or paused.")
    .argument("[prompt]", "the instruction; `-` reads it from stdin")
    .option("-c, --checkpoint <id>", "go on from this pause instead of starting anew", nonEmpty)
    .option("--sandbox", "run the agent's processes only inside a sandbox")
    .option("--title <text>", "title of the task in lists", nonEmpty)
    .option("--label <name>", "a name by which other commands find the task", nonEmpty)
  addDecisionFlags(addRunFlags(command))
    .addHelpText("after", examples)
    .action(
      run<RunFlags>(async (context, { args: [prompt], flags }) =>
        flags.checkpoint === undefined
          ? startRun(context, prompt, flags)
          : resumeRun(context, { target: flags.checkpoint, text: prompt, flags }),
      ),
    )
}
