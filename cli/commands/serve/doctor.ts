import type { CommandModule } from "../../program/command.ts"
import { examine } from "../../doctor/examine.ts"
import { prepare } from "../../doctor/prepare.ts"
import { printResult } from "../../print-result.ts"
import { findingsText } from "../../text/findings-text.ts"

interface DoctorFlags {
  readonly prepare?: boolean
}

export const doctorCommand: CommandModule = (program, run) => {
  program
    .command("doctor")
    .description(
      "Checks what Adjutant needs on this machine; exit 1 where something that it cannot do without is missing.",
    )
    .option(
      "--prepare",
      "first bring what a first start would wait for (the Temporal program, which may take minutes; the workflow bundle), for images and CI",
    )
    .action(
      run<DoctorFlags>(async (context, { flags }) => {
        const prepared = flags.prepare === true ? await prepare(context) : []
        const findings = [...prepared, ...(await examine(context))]
        printResult(context, { items: findings, next_cursor: null }, () => findingsText(findings))
        return findings.some((finding) => finding.status === "fail") ? 1 : 0
      }),
    )
}
