import type { TrustOptions } from "../../config/trust/require-trust.ts"
import type { CliContext } from "./cli-context.ts"
import { oneLine } from "../terminal/plain-text.ts"

/** Returns how a command treats a configuration that is not trusted: it asks at a terminal, unless `--trust` answers. */
export const trustOptions = ({ options, confirm }: Pick<CliContext, "options" | "confirm">): TrustOptions => ({
  isGiven: options.trust === true,
  ...(confirm === undefined
    ? {}
    : {
        ask: (problem, lines) =>
          confirm(
            [
              `${oneLine(problem, 500)}. These keys need trust:`,
              ...lines.map((line) => `  ${oneLine(line, 2_000)}`),
              "Trust it? [y/N] ",
            ].join("\n"),
          ),
      }),
  confinesCommands: async () => (await import("../../worker/detect-sandbox.ts")).confinesCommands(),
})
