import type { Command } from "commander"
import { nonEmpty } from "./program/option-parsers.ts"

export interface TargetFlags {
  readonly parent?: string
}

/** Adds a command about a task, which can be named in any of the ways in which one can be found. */
export const targetCommand = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(description)
    .argument("<target>", "task id, checkpoint id or label; with --parent also #n or all", nonEmpty)
    .option("--parent <id>", "the task whose children #n and all mean", nonEmpty)
