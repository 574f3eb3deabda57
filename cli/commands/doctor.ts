import type { CommandModule } from "../build-program.ts"
import { examine } from "../examine.ts"
import { printResult } from "../print-result.ts"
import { findingsText } from "../text/findings-text.ts"

export const doctorCommand: CommandModule = (program, run) => {
  program
    .command("doctor")
    .description(
      "Checks what Adjutant needs on this machine; exit 1 where something that it cannot do without is missing.",
    )
    .action(
      run(async (context) => {
        const findings = await examine(context)
        printResult(context, { items: findings, next_cursor: null }, () => findingsText(findings))
        return findings.some((finding) => finding.status === "fail") ? 1 : 0
      }),
    )
}
