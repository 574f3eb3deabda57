import type { FilesystemConfig, SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime"

/** What the worker asks of the runtime's process. */
export type RuntimeRequest =
  /** First: its configuration, and whether proxies are started. */
  | { readonly id: number; readonly type: "start"; readonly config: SandboxRuntimeConfig; readonly proxies: boolean }
  /** The shell command that runs `script` confined; every one that is given out is taken back by `ended`. */
  | {
      readonly id: number
      readonly type: "wrap"
      readonly script: string
      readonly shell: string
      readonly filesystem: FilesystemConfig
    }
  | { readonly id: number; readonly type: "ended" }

/** `value`: the sockets of the proxies for `start`, the shell command for `wrap`. */
export type RuntimeAnswer =
  | { readonly id: number; readonly value: readonly string[] }
  | { readonly id: number; readonly problem: string }
