import path from "node:path"
import { expect, it } from "vitest"
import { limitNames, termsOf } from "../../../contracts/run/run-limits.ts"
import { readSource } from "../../../scripts/language/read-source.ts"
import { readProductSources } from "../../../scripts/structure/product-sources.ts"

const flagOf = (flag: string): string => flag.split(" ")[0] ?? flag

/** Options with which a person starts a run, and commands with which one looks at it. A reader anywhere else cannot use them. */
const forTerminals = [
  ...limitNames.map((name) => flagOf(termsOf(name).flag)),
  ...["--pause-on-approval", "--unconfined"],
  ...["list", "info", "log", "grants", "deliveries"].map((command) => `adjutant ${command}`),
]

/** Where they stand, because the text is for the command line, or for who operates workers. */
const allowed = [
  "cli/",
  // The table of limits declares the flags; the tables of advice and of errors say what each reader can do.
  "contracts/run/run-limits.ts",
  "contracts/error-code.ts",
  "domain/advice/advise.ts",
  // What an operator reads in Temporal's own page.
  "domain/operator/operator-details.ts",
  // A message about the end of a run reaches people who have the command line.
  "sessions/delivery/build-notice.ts",
  // Temporal was lost in the middle of a start.
  "engine/start-workflow.ts",
  // It says what each reader can do.
  "service/host/resolve-where-confined.ts",
]

it("names options and commands of a terminal only in texts for terminals", () => {
  const sources = readProductSources(path.resolve(import.meta.dirname, "../../.."))
  const named = sources
    .filter(
      ({ file, text }) =>
        forTerminals.some((word) => text.includes(word)) && !allowed.some((place) => file.startsWith(place)),
    )
    .flatMap(({ file, text }) =>
      readSource(file, text)
        .filter(({ kind }) => kind === "string" || kind === "error")
        .flatMap(({ text: said }) =>
          forTerminals.filter((word) => said.includes(word)).map((word) => `${file}: ${word}`),
        ),
    )
  expect([...new Set(named)]).toEqual([])
})
