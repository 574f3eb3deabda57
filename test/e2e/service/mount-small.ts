import { execFileSync, spawnSync } from "node:child_process"

export const needsMount = {
  name: "mount as root",
  isAvailable: process.platform === "linux" && spawnSync("unshare", ["--mount", "true"]).status === 0,
}

/** Mounts a file system in memory at a folder. Returns what unmounts it. @param options such as its size */
export const mountSmall = (folder: string, options: string): (() => void) => {
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "adjutant-test", folder])
  return () => execFileSync("umount", ["-l", folder])
}
