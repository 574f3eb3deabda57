import { arch, cpus, loadavg, platform, totalmem } from "node:os"

export interface MachineFacts {
  readonly cores: number
  readonly cpu: string
  readonly memoryGb: number
  readonly platform: string
  readonly node: string
  readonly temporalServer: string
  /** Load average of the last minute at the start of the run, as an indication of other work on the machine. */
  readonly loadAverage: number
}

export const machineFacts = (temporalServer: string): MachineFacts => {
  const all = cpus()
  return {
    cores: all.length,
    cpu: all[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
    node: process.versions.node,
    temporalServer,
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

export const machineLine = (facts: MachineFacts): string =>
  `${facts.cores} cores (${facts.cpu}), ${facts.memoryGb} GB, ${facts.platform}, Node ${facts.node}, ` +
  `Temporal server ${facts.temporalServer}, load ${facts.loadAverage}`
