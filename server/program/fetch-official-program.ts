// Started by download-temporal-program.ts as a separate process: downloads the official program into the folder given as its argument.
import { TestWorkflowEnvironment } from "@temporalio/testing"
import { errorMessage } from "../../domain/text/error-message.ts"
import { temporalCliVersion } from "./temporal-version.ts"

const [downloadDir] = process.argv.slice(2)
try {
  await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "cached-download", downloadDir, version: temporalCliVersion },
      // The server that the SDK then starts ends at once.
      extraArgs: ["--help"],
    },
  })
} catch (error) {
  console.error(errorMessage(error))
  process.exitCode = 1
}
