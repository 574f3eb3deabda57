import type { CommandModule } from "../command.ts"
import { examine } from "../../doctor/examine.ts"
import { findingsText } from "../../doctor/findings-text.ts"
import { prepare } from "../../doctor/prepare.ts"
import { printResult } from "../../text/print-result.ts"

interface DoctorFlags {
  readonly disk?: boolean
  readonly models?: boolean
  readonly prepare?: boolean
}

export const doctorCommand: CommandModule = (program, run) => {
  program
    .command("doctor")
    .description("Check what Adjutant needs on this machine")
    .option(
      "--prepare",
      "Prepare the Temporal program (its download or build can take minutes) and compiled code now, so that the first start is fast; for images and CI",
    )
    .option(
      "--models",
      "Ask each configured model for one word, and show what it can do; costs what its provider charges",
    )
    .option("--disk", "Show what the data directory and the store contain, and how much of it is old")
    .action(
      run<DoctorFlags>(async (context, { flags }) => {
        const prepared = flags.prepare === true ? await prepare(context) : []
        const options = { asksModels: flags.models === true, measuresDisk: flags.disk === true }
        const findings = [...prepared, ...(await examine(context, options))]
        printResult(context, { items: findings, next_cursor: null }, (paint) => findingsText(findings, paint))
        return findings.some((finding) => finding.status === "fail") ? 1 : 0
      }),
    )
}
