// A process of its own, started by download-temporal-program: brings the official program into the folder of its argument.
import { TestWorkflowEnvironment } from "@temporalio/testing"
import { errorMessage } from "../../domain/text/error-message.ts"
import { temporalCliVersion } from "./temporal-version.ts"

const [downloadDir] = process.argv.slice(2)
try {
  await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "cached-download", downloadDir, version: temporalCliVersion },
      // What the SDK then starts ends at once.
      extraArgs: ["--help"],
    },
  })
} catch (error) {
  console.error(errorMessage(error))
  process.exitCode = 1
}
