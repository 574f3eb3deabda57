import type { SandboxBackend } from "../../../../contracts/config/sandbox-settings.ts"
import { detectSandbox } from "../../../../tools/sandbox/detect-sandbox.ts"
import { closedPaths } from "../../../../tools/sandbox/masked-paths.ts"
import type { ProcessLimits } from "../../../../tools/sandbox/process/run-process.ts"
import { defaultResourceLimits, type ResourceLimits } from "../../../../tools/sandbox/process/resource-limits.ts"
import { createSandboxRuntime } from "../../../../tools/sandbox/runtime/sandbox-runtime.ts"
import type { Sandbox } from "../../../../tools/sandbox/sandbox.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { resolveView, type ViewSettings } from "../../../../tools/sandbox/view/sandbox-view.ts"
import { trialFailure, firstExecutable, usualPaths } from "../../../../tools/sandbox/try-sandbox.ts"
import { testLimits } from "./command.ts"

export const isRoot = process.getuid?.() === 0

/**
 * Detection refuses the runtime for a root worker because of this one escape; the rest of the runtime is
 * tested as root, too.
 */
const onlyForRoot = /kernel's settings/

/** Creates the runtime without the refusal for root. */
export const createRuntime = async (
  allowedDomains: readonly string[] = [],
  limits: ProcessLimits = testLimits,
  resources: ResourceLimits = defaultResourceLimits,
  view?: ViewSettings,
): Promise<Sandbox> => {
  const [bubblewrap, socat] = [await firstExecutable(usualPaths("bwrap")), await firstExecutable(usualPaths("socat"))]
  if (process.platform !== "linux" || bubblewrap === undefined) throw new Error("bubblewrap is not installed")
  if (allowedDomains.length > 0 && socat === undefined) throw new Error("socat is not installed")
  const sandbox = createSandboxRuntime({
    platform: "linux",
    bubblewrap,
    socat,
    allowedDomains,
    readOnlyPaths: [],
    view: view === undefined ? undefined : await resolveView(view),
    masked: await closedPaths("/etc"),
    limits,
    resources,
  })
  const failure = await trialFailure(sandbox, 10_000)
  if (failure === undefined || onlyForRoot.test(failure)) return sandbox
  await sandbox.close?.()
  throw new Error(failure)
}

export interface BackendUnderTest {
  readonly name: SandboxBackend
  readonly create: (limits?: ProcessLimits, resources?: ResourceLimits, view?: ViewSettings) => Promise<Sandbox>
}

/** Creates a backend by name, so that another process can create the same one. */
export const createConfined = (
  name: string,
  limits: ProcessLimits = testLimits,
  resources: ResourceLimits = defaultResourceLimits,
  view?: ViewSettings,
): Promise<Sandbox> =>
  name === "sandbox-runtime"
    ? createRuntime([], limits, resources, view)
    : detectSandbox("require", { limits, resources, ...(view === undefined ? {} : { view }) })

const works = async (name: SandboxBackend): Promise<boolean> => {
  try {
    await (await createConfined(name)).close?.()
    return true
  } catch (error) {
    console.log(`The tests of ${name} are skipped: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

const names = ["bubblewrap", "sandbox-runtime"] as const

/** Returns the backends that work on this machine; the others are named with the reason. */
export const backendsUnderTest = async (): Promise<readonly BackendUnderTest[]> => {
  const found: BackendUnderTest[] = []
  for (const name of names)
    if (await works(name)) found.push({ name, create: (...args) => createConfined(name, ...args) })
  return found
}

const refuse = (): Promise<never> => Promise.reject(new Error("there is no sandbox to test"))

/** Replaces a backend whose tests are skipped; it runs nothing. */
const absent = (name: SandboxBackend): BackendUnderTest => ({
  name,
  create: async () => ({ kind: name, confined: false, run: refuse, runProgram: refuse, stopBackground: refuse }),
})

/** Defines the tests once for each backend; those of a backend that does not work here are skipped. */
export const describeEachBackend = async (tests: (backend: BackendUnderTest) => Promise<void>): Promise<void> => {
  const found = await backendsUnderTest()
  for (const name of names) {
    const backend = found.find((each) => each.name === name)
    describeWith([{ name: "bubblewrap", isAvailable: backend !== undefined }], name, () =>
      tests(backend ?? absent(name)),
    )
  }
}
