import type { CommandModule } from "../command.ts"
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
    .description("Give an agent an instruction and follow the run until it ends or pauses")
    .argument("[prompt]", "the instruction; `-` reads it from stdin")
    .option("-c, --checkpoint <id>", "Continue from this pause instead of starting a new task", nonEmpty)
    .option("--unconfined", "Run Bash unasked where no sandbox works (default: leave Bash out of such a run)")
    .option("--sandbox", "Run the agent's commands only inside a sandbox (default: as set by security.sandbox)")
    .option("--title <text>", "Show this title in lists", nonEmpty)
    .option("--label <name>", "Set a name that other commands accept as target", nonEmpty)
  addDecisionFlags(addRunFlags(command))
    .addHelpText("after", examples)
    .action(
      run<RunFlags>(async (context, { args: [prompt], flags }) =>
        flags.checkpoint === undefined
          ? startRun(context, prompt, flags)
          : (await import("../../run/resume-run.ts")).resumeRun(context, {
              target: flags.checkpoint,
              text: prompt,
              flags,
            }),
      ),
    )
}
