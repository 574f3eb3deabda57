import { randomUUID } from "node:crypto"
import { shellFile, shellFlags, type PlanLaunch } from "../launch.ts"
import { createCommandCgroup } from "./command-cgroup.ts"

/** Enters the group and becomes the program. If the group refuses, the worker still watches what the command uses. */
const enter = '{ echo 0 > "$1/cgroup.procs"; } 2>/dev/null; shift; exec -- "$@"'

/**
 * Returns a plan by which each command runs in a control group of its own, so that the kernel enforces its limits on memory and processes. Where no
 * group can be created, the command runs as planned. Without a parent, the plan stays as it is.
 */
export const limitByCgroup =
  (plan: PlanLaunch, parent: string | undefined): PlanLaunch =>
  async (request, marks) => {
    const launch = await plan(request, marks)
    if (parent === undefined || launch.resources === undefined) return launch
    const cgroup = await createCommandCgroup(parent, launch.resources, randomUUID()).catch(() => undefined)
    if (cgroup === undefined) return launch
    return {
      ...launch,
      file: shellFile,
      args: [...shellFlags, enter, "bash", cgroup.path, launch.file, ...launch.args],
      cgroup,
      async cleanUp() {
        await launch.cleanUp?.()
        await cgroup.remove()
      },
    }
  }
